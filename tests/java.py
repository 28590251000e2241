"""Java for tests, which do little with it and start it often."""

JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A compiler and a collector in haste: Spark takes half the processor time."""
