#!/bin/sh
# Точка проверки «Пропуска»: смотрит на сайты компании как посторонний и сообщает консоли, что увидела.
# Нужны curl 7.49 или новее и sha256sum (или shasum). Программа открывает только адреса, которые назвала консоль, и только из интернета.
#
#   sh vantage.sh pair АДРЕС_КОНСОЛИ КОД    подключить эту машину; код выдаёт консоль
#   sh vantage.sh run                       работать, пока не остановят (Ctrl-C)
#   sh vantage.sh once                      выполнить то, что ждёт, и закончить: для cron
#
# Protocol: packages/contract/src/vantages.ts. Every call is signed with HMAC-SHA256 (RFC 2104) and counted, so that nobody can
# forge or replay one. Set for tests or special networks: PROPUSK_VANTAGE (file with the key), PROPUSK_INTERFACE (source address),
# PROPUSK_ALLOW_PRIVATE=yes (addresses of private networks).
set -eu
umask 077
state=${PROPUSK_VANTAGE:-$HOME/.propusk-vantage}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

fail() { echo "$1" >&2; exit 1; }
command -v curl >/dev/null || fail 'Установите curl и запустите программу снова.'
if command -v sha256sum >/dev/null; then sha() { sha256sum | cut -c1-64; }
elif command -v shasum >/dev/null; then sha() { shasum -a 256 | cut -c1-64; }
else fail 'Нужна программа sha256sum или shasum.'; fi

# Hex digits as escapes for %b, each byte XOR the mask.
escapes() {
  hex=$1
  while [ -n "$hex" ]; do
    rest=${hex#??}
    printf '\\0%03o' $((0x${hex%"$rest"} ^ $2))
    hex=$rest
  done
}
# HMAC-SHA256 of $1. The keys are padded to the 64 bytes of a block: with 0x36 inside, with 0x5c outside.
sign() {
  digest=$({ printf %b "$inner"; printf 66666666666666666666666666666666; printf %s "$1"; } | sha)
  { printf %b "$outer"; printf '\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\'; printf %b "$(escapes "$digest" 0)"; } | sha
}

# Sends the JSON of standard input; no secret stands in the arguments, which other users of the machine can read.
post() {
  curl -q -sS -g --max-time 30 ${PROPUSK_INTERFACE:+--interface "$PROPUSK_INTERFACE"} -H 'Content-Type: application/json' \
    --data-binary @- -w '\n%{http_code}' "$url/api/vantage/$1"
}
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

save() {
  printf '%s\n' "$url" "$id" "$key" "$count" >"$state.new"
  mv "$state.new" "$state"
}
# Takes the next count. It is saved before the call: a count may be lost, but never used twice.
next() { count=$((count + 1)); save; }

pair() {
  url=${1%/}
  reply=$(printf '{"code":"%s"}' "$2" | post pair) || fail "Консоль $url не отвечает."
  id=$(echo "$reply" | field vantage) key=$(echo "$reply" | field key) count=0
  [ -n "$id" ] && [ -n "$key" ] || fail 'Код не подошёл: он действует 15 минут и один раз. Получите новый в консоли.'
  save
  echo "Точка подключена. Ключ сохранён в $state."
}

# Whether the address belongs to the public internet. A console must not make this machine scan its own network.
public() {
  case $1 in
    *[!0-9a-fA-F.:]* | *:*.* | 2002:*) return 1 ;;
    [23]???:*) return 0 ;;
    *:* | *[!0-9.]*) return 1 ;;
    # Only four decimal numbers: curl would read other spellings as addresses too.
    *.*.*.*.* | 0* | *.0[0-9]* | *..* | *.) return 1 ;;
    *.*.*.*) ;;
    *) return 1 ;;
  esac
  case $1 in
    # The address by which machines of Azure reach their platform.
    168.63.129.16) return 1 ;;
    10.* | 127.* | 169.254.* | 192.168.* | 192.0.0.* | 198.18.* | 198.19.*) return 1 ;;
    172.1[6-9].* | 172.2?.* | 172.3[01].*) return 1 ;;
    100.6[4-9].* | 100.[7-9]?.* | 100.1[01]?.* | 100.12[0-7].*) return 1 ;;
    22[4-9].* | 23?.* | 24?.* | 25?.*) return 1 ;;
  esac
}

# One request: prints exit status of curl, HTTP status, 1 when connected, and the base64 of the headers that matter.
request() {
  scheme=$1 host=$2 port=$3 address=$4 path=$5 header=$6 head=$7
  case $scheme in http | https) ;; *) return ;; esac
  # A name ends in a label that begins with a letter. curl reads hosts such as 2130706433 and 0x7f.1 as addresses.
  case $host in *[!A-Za-z0-9._-]* | *.) return ;; *.[A-Za-z]*) ;; *) return ;; esac
  case ${host##*.} in [!A-Za-z]*) return ;; esac
  case $port in *[!0-9]*) return ;; esac
  case $path in /*) ;; *) return ;; esac
  case $header in '' | [A-Za-z]*:*) ;; *) return ;; esac
  # The console explains this status (from-vantage.ts).
  [ "${PROPUSK_ALLOW_PRIVATE:-}" = yes ] || public "$address" || { echo '250 000 0 -'; return; }
  case $address in *:*) literal="[$address]" ;; *) literal=$address ;; esac
  : >"$head"
  set -- -q -sS -g -k --noproxy '*' --path-as-is --max-time 10 --connect-timeout 5 --max-filesize 65536 \
    -A 'Mozilla/5.0 (compatible; Propusk)' -H 'Accept: text/html,*/*;q=0.8' \
    -o /dev/null -D "$head" -w '%{http_code} %{time_connect}' --connect-to "::$literal:$port"
  [ -z "${PROPUSK_INTERFACE:-}" ] || set -- "$@" --interface "$PROPUSK_INTERFACE"
  [ -z "$header" ] || set -- "$@" -H "$header"
  exit=0
  seen=$(curl "$@" --url "$scheme://$host:$port$path" 2>/dev/null) || exit=$?
  status=${seen%% *}
  case ${seen#* } in *[1-9]*) connected=1 ;; *) connected=0 ;; esac
  lines=$(grep -iE '^(location|server|content-length|x-cdn|x-[a-z-]*id|x-served-by|x-iinfo|x-azure-ref|cf-ray):' "$head" |
    cut -c1-300 | head -n 12 | base64 | tr -d '\n') || lines=
  printf '%s %s %s %s\n' "$exit" "${status:-0}" "$connected" "${lines:--}"
}

# The requests of one group, one after another. After a failed first connection the others would fail alike.
group() {
  tab=$(printf '\t')
  while IFS=$tab read -r at step scheme host port address path header; do
    [ "$at" = "$1" ] || continue
    [ "$step" = 0 ] || sleep "${PROPUSK_PAUSE:-1}"
    seen=$(request "$scheme" "$host" "$port" "$address" "$path" "$header" "$work/head.$1") || seen=
    [ -z "$seen" ] || echo "$step $seen"
    case $step$seen in 0*' 000 '*) break ;; esac
  done <"$work/plan" >"$work/result.$1"
}

# Sends the requests of a task, eight groups side by side, and reports each group.
perform() {
  task=$1
  running=0
  for at in $(cut -f1 "$work/plan" | sort -un); do
    group "$at" &
    running=$((running + 1))
    [ $((running % 8)) != 0 ] || wait
  done
  wait
  for at in $(cut -f1 "$work/plan" | sort -un); do
    results=$(base64 <"$work/result.$at" | tr -d '\n')
    next
    printf '{"vantage":%s,"count":%s,"task":"%s","group":%s,"results":"%s","signature":"%s"}' "$id" "$count" "$task" "$at" \
      "$results" "$(sign "report $id $count $task $at $results")" | post report >/dev/null || true
  done
  echo "$(date '+%H:%M:%S')  запросов: $(wc -l <"$work/plan" | tr -d ' ')"
}

serve() {
  [ -r "$state" ] || fail 'Точка не подключена: сначала выполните команду из консоли («Точки проверки»).'
  { read -r url; read -r id; read -r key; read -r count; } <"$state"
  inner=$(escapes "$key" 54) outer=$(escapes "$key" 92)
  [ "$1" = once ] || echo "Точка работает с $url. Остановить: Ctrl-C."
  idle=0 lost=0
  while :; do
    next
    reply=$(printf '{"vantage":%s,"count":%s,"signature":"%s"}' "$id" "$count" "$(sign "work $id $count")" | post work 2>/dev/null) || reply=
    case $reply in
      *'
200') lost=0 ;;
      *'
401') fail 'Консоль не приняла ключ: точку удалили, или файл с ключом скопирован на другую машину. Подключите её снова.' ;;
      *)
        [ "$1" != once ] || fail "Консоль $url не отвечает."
        [ $lost = 1 ] || echo "Консоль $url не отвечает. Пробуем снова." >&2
        lost=1
        sleep 10
        continue
        ;;
    esac
    task=$(echo "$reply" | field task) wait=$(echo "$reply" | field wait) pending=$(echo "$reply" | field pending)
    if [ -n "$task" ]; then
      echo "$reply" | field plan | base64 -d >"$work/plan"
      perform "$task"
      idle=0
    else
      # A probe asks its proxies before it asks the vantage, so one idle call is no end yet.
      [ "$pending" != 0 ] && idle=0 || idle=$((idle + 1))
      [ "$1" != once ] || [ $idle -lt 3 ] || exit 0
      sleep "$wait"
    fi
  done
}

case ${1:-} in
  pair) [ $# -eq 3 ] || fail 'sh vantage.sh pair АДРЕС_КОНСОЛИ КОД'; pair "$2" "$3" ;;
  run | once) serve "$1" ;;
  *) sed -n '2,7p' "$0" | cut -c3- ;;
esac
