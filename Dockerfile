# docker build -t xmlcep .
# docker run --rm -v "$PWD:/data" xmlcep audit orders.jsonl --rules orders.xcep
# docker run -p 127.0.0.1:8765:8765 -v orders:/data xmlcep
FROM python:3.13-slim AS build
COPY . /src
RUN pip install --no-cache-dir --prefix=/installed "/src[cli,serve,fast,regex,arrow]"

FROM python:3.13-slim
COPY --from=build /installed /usr/local
RUN useradd --create-home xmlcep && install -d -o xmlcep /data
USER xmlcep
WORKDIR /data
EXPOSE 8765
ENTRYPOINT ["xmlcep"]
CMD ["serve", "/data", "--host", "0.0.0.0"]
