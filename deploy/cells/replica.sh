#!/bin/sh
# A streaming replica of the host `postgres`: copies it at the first start, then follows it. A copy that was cut short is
# begun anew, since only a whole one gets the name that the server starts from.
set -eu
data="${PGDATA:-/var/lib/postgresql/data}"
PGPASSWORD=$(cat "${POSTGRES_PASSWORD_FILE:-/secrets/database/password}")
export PGPASSWORD
if [ ! -e "$data/replica/standby.signal" ]; then
  rm -rf "$data/replica" "$data/unfinished"
  # The password goes into the copy's postgresql.auto.conf, with which it connects.
  pg_basebackup --dbname="host=${POSTGRES_HOST:-postgres} port=${POSTGRES_PORT:-5432} user=$POSTGRES_USER password=$PGPASSWORD" \
    --pgdata="$data/unfinished" --wal-method=stream --slot=replica --write-recovery-conf --checkpoint=fast
  mv "$data/unfinished" "$data/replica"
fi
exec postgres -D "$data/replica" -c max_connections=100 "$@"
