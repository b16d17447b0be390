#!/bin/sh
# Run once by PostgreSQL's image, when it has made the database: the replica may connect, by password.
set -eu
echo "host replication all samenet scram-sha-256" >> "$PGDATA/pg_hba.conf"
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --command "select pg_create_physical_replication_slot('replica'), pg_reload_conf()"
