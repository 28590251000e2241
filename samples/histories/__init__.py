"""Real documents, edited again version by version: their change logs, and rules that find things in them."""
