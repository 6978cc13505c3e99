# The service in a container: `docker build --tag spillway .`, then
# `docker run --publish 8787:8787 --volume spillway:/data --env OPERATOR_TOKEN=… spillway` (a token of 16 characters or more).
FROM node:22-slim AS build
WORKDIR /build
COPY . .
RUN node scripts/install.mjs && npm pack --pack-destination /tmp

FROM node:22-slim
WORKDIR /opt/spillway
COPY --from=build /tmp/spillway-*.tgz /tmp/spillway.tgz
RUN npm init -y && npm install --omit=dev /tmp/spillway.tgz fastify@5 libsql@0.5 pg@8 && rm /tmp/spillway.tgz \
  && mkdir /data && chown node /data
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:8787/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# An address that others reach needs a token. This one may do everything; name others in a configuration of your own.
ENV SPILLWAY_SERVER_TOKENS='[{"name":"operator","role":"operator","tokenEnv":"OPERATOR_TOKEN"}]'
ENTRYPOINT ["node", "node_modules/spillway/dist/cli/spillway.js"]
CMD ["serve", "--host", "0.0.0.0", "--store", "sqlite:/data/spillway.db"]
