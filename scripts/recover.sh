#!/bin/sh
# Recovers an installation whose machine is lost, on a new machine. Follow it step by step, or run it:
#
#   scripts/recover.sh restore /backups/2026-11-26.swb     # writes the backup into an empty database, paused
#   scripts/recover.sh resume                              # when the lost machine cannot come back
#
# Before: install and build the same version or a newer one (pnpm install && pnpm build), and set the same environment as on
# the lost machine: SWITCHBOARD_MASTER_KEYS, the public URLs, the media store, and DATABASE_URL of an empty database (without
# it, the embedded database of an empty SWITCHBOARD_DATA_DIR).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)

step() { printf '\n== %s\n' "$*"; }
switchboard() {
  printf '$ switchboard %s\n' "$*"
  node "$here/packages/cli/bin/switchboard.mjs" "$@"
}

case "${1-}" in
restore)
  backup=${2:?"name the file of the backup"}
  step '1. Verify the whole backup, and that this machine has its master key. Nothing is written.'
  switchboard restore "$backup" --check
  step '2. Restore it. After a failure the database is empty again: correct what the message names, and repeat.'
  switchboard restore "$backup"
  step '3. The restored installation is paused: it serves, and sends nothing.'
  switchboard status
  cat <<'NEXT'

== 4. Manual steps:
   - Make sure that the lost machine cannot come back: detach its disk, or revoke its access to the network.
   - Start REST, MCP and workers as before, and point the public names at them.
   - Compare a few accounts, posts and refunds with their platforms.
   - Then run: scripts/recover.sh resume
NEXT
  ;;
resume)
  step '5. Is the lost machine switched off for good? Two installations on the same data publish and refund twice.'
  printf 'Type "lost" to continue: '
  read -r answer
  [ "$answer" = lost ] || { echo 'Nothing was changed.'; exit 1; }
  step '6. Resume. What may have been sent is looked up at its platform before anything is sent.'
  switchboard resume
  step '7. Decide what is left for a person: GET /v1/attention, or `list_attention` over MCP.'
  ;;
*)
  sed -n '2,10s/^# \{0,1\}//p' "$0"
  exit 2
  ;;
esac
