# Completion of beaconctl for bash; made by 'beaconctl completion bash'.
# Offers those of some words that begin with the typed text, in quotes if bash needs them.
# The first argument is what follows each word.
_beaconctl_add() {
  local suffix=$1 word text
  shift
  for word in "$@"; do
    [ -n "$word" ] || continue
    case $quote in
      "'") case $word in *"'"*) continue ;; esac; text=$word ;;
      '"')
        # The history is expanded within these quotes as well.
        case $word in *'!'*) continue ;; esac
        text=${word//'\'/'\\'} text=${text//'"'/'\"'}
        text=${text//'$'/'\$'} text=${text//'`'/'\`'} ;;
      *) printf -v text %q "$word" ;;
    esac
    if [ "${text:0:${#typed}}" = "$typed" ]; then
      COMPREPLY+=("${text:${#base}}$suffix")
    elif [ -z "$base$quote" ] && [ "${word:0:${#typed}}" = "$typed" ]; then
      COMPREPLY+=("$text$suffix")
    fi
  done
}
_beaconctl() {
  local typed piece base quote previous path index
  local -a lines
  COMPREPLY=()
  # Bash divides words at ':', '=' and '@'.
  piece=${COMP_WORDS[COMP_CWORD]} typed=$piece index=$COMP_CWORD
  while [ "$index" -gt 1 ]; do
    case ${COMP_WORDS[index]} in
      [:=@]*) ;;
      *) case ${COMP_WORDS[index-1]} in [:=@]*) ;; *) break ;; esac ;;
    esac
    index=$((index - 1)) typed=${COMP_WORDS[index]}$typed
  done
  path='beaconctl'
  previous=${COMP_WORDS[index-1]}
  case $typed in --*=*) previous=${typed%%=*} typed=${typed#*=} ;; esac
  quote=
  if [ "$typed" = "$piece" ]; then
    case $typed in [\'\"]*) quote=${typed:0:1} typed=${typed:1} piece=${piece:1} ;; esac
  fi
  case $piece in [:=]*) piece= ;; esac
  # What bash itself takes for the word, if it calls this function.
  case $typed in *"${2-$piece}") piece=${2-$piece} ;; esac
  base=${typed:0:${#typed}-${#piece}}
  local place=1
  while [ "$place" -lt "$index" ]; do
    case "$path ${COMP_WORDS[place]}" in
      'beaconctl range'|'beaconctl monitor'|'beaconctl scan'|'beaconctl web'|'beaconctl demo'|'beaconctl record'|'beaconctl inspect'|'beaconctl plot'|'beaconctl convert'|'beaconctl decode'|'beaconctl rehearse'|'beaconctl history'|'beaconctl history visits'|'beaconctl history crossings'|'beaconctl history minutes'|'beaconctl history places'|'beaconctl history receivers'|'beaconctl history notices'|'beaconctl history purge'|'beaconctl name'|'beaconctl advertise'|'beaconctl calibrate'|'beaconctl calibrate measure'|'beaconctl calibrate sweep'|'beaconctl museum'|'beaconctl museum guide'|'beaconctl museum serve'|'beaconctl museum simulate'|'beaconctl museum report'|'beaconctl museum doctor'|'beaconctl museum plan'|'beaconctl museum plan new'|'beaconctl museum plan check'|'beaconctl museum plan show'|'beaconctl museum plan edit'|'beaconctl service'|'beaconctl service run'|'beaconctl service agent'|'beaconctl service status'|'beaconctl auth'|'beaconctl auth status'|'beaconctl auth set'|'beaconctl auth precise'|'beaconctl auth services'|'beaconctl auth reset'|'beaconctl auth forget'|'beaconctl site'|'beaconctl site survey'|'beaconctl site fuse'|'beaconctl site health'|'beaconctl gateway'|'beaconctl proxy'|'beaconctl doctor'|'beaconctl config'|'beaconctl config list'|'beaconctl config show'|'beaconctl config check'|'beaconctl config path'|'beaconctl config edit'|'beaconctl help'|'beaconctl completion'|'beaconctl manual') path="$path ${COMP_WORDS[place]}" ;;
    esac
    place=$((place + 1))
  done
  case "$path $previous" in
    'beaconctl --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl range --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl range --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl range -f'|'beaconctl range --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl range --speed') return ;;
    'beaconctl range --plan') compopt -o default 2>/dev/null; return ;;
    'beaconctl range --simulate') return ;;
    'beaconctl range --since') return ;;
    'beaconctl range --until') return ;;
    'beaconctl range -s'|'beaconctl range --beacon'|'beaconctl range --satisfying') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl range -r'|'beaconctl range --region') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config show --regions 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl range --while-inside') return ;;
    'beaconctl range --state') compopt -o default 2>/dev/null; return ;;
    'beaconctl range --client') return ;;
    'beaconctl range --manifest') compopt -o default 2>/dev/null; return ;;
    'beaconctl range --answers') compopt -o default 2>/dev/null; return ;;
    'beaconctl range --ask') _beaconctl_add '' whenInUse always; return ;;
    'beaconctl range --record') compopt -o default 2>/dev/null; return ;;
    'beaconctl range --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl range --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl range --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl range --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl range --format') _beaconctl_add '' table json jsonl csv none; return ;;
    'beaconctl range -o'|'beaconctl range --output') case $typed in *:*) compopt -o default 2>/dev/null ;; *) compopt -o nospace 2>/dev/null; _beaconctl_add : table json jsonl csv ;; esac; return ;;
    'beaconctl range --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl range --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl monitor --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl monitor --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl monitor -f'|'beaconctl monitor --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl monitor --speed') return ;;
    'beaconctl monitor --plan') compopt -o default 2>/dev/null; return ;;
    'beaconctl monitor --simulate') return ;;
    'beaconctl monitor --since') return ;;
    'beaconctl monitor --until') return ;;
    'beaconctl monitor -r'|'beaconctl monitor --region') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config show --regions 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl monitor --state') compopt -o default 2>/dev/null; return ;;
    'beaconctl monitor --place') return ;;
    'beaconctl monitor --model') compopt -o default 2>/dev/null; return ;;
    'beaconctl monitor --client') return ;;
    'beaconctl monitor --manifest') compopt -o default 2>/dev/null; return ;;
    'beaconctl monitor --answers') compopt -o default 2>/dev/null; return ;;
    'beaconctl monitor --ask') _beaconctl_add '' whenInUse always; return ;;
    'beaconctl monitor --record') compopt -o default 2>/dev/null; return ;;
    'beaconctl monitor --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl monitor --exec') return ;;
    'beaconctl monitor --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl monitor --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl monitor --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl monitor --format') _beaconctl_add '' table json jsonl csv none; return ;;
    'beaconctl monitor -o'|'beaconctl monitor --output') case $typed in *:*) compopt -o default 2>/dev/null ;; *) compopt -o nospace 2>/dev/null; _beaconctl_add : table json jsonl csv ;; esac; return ;;
    'beaconctl monitor --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl monitor --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl scan --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl scan --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl scan -f'|'beaconctl scan --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl scan --speed') return ;;
    'beaconctl scan --plan') compopt -o default 2>/dev/null; return ;;
    'beaconctl scan --simulate') return ;;
    'beaconctl scan --since') return ;;
    'beaconctl scan --until') return ;;
    'beaconctl scan -s'|'beaconctl scan --beacon'|'beaconctl scan --satisfying') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl scan --record') compopt -o default 2>/dev/null; return ;;
    'beaconctl scan --mode') return ;;
    'beaconctl scan --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl scan --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl scan --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl scan --format') _beaconctl_add '' table json jsonl csv none; return ;;
    'beaconctl scan -o'|'beaconctl scan --output') case $typed in *:*) compopt -o default 2>/dev/null ;; *) compopt -o nospace 2>/dev/null; _beaconctl_add : table json jsonl csv ;; esac; return ;;
    'beaconctl scan --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl scan --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl web --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl web --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl web -f'|'beaconctl web --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl web --speed') return ;;
    'beaconctl web -s'|'beaconctl web --beacon'|'beaconctl web --satisfying') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl web -r'|'beaconctl web --region') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config show --regions 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl web --state') compopt -o default 2>/dev/null; return ;;
    'beaconctl web --place') return ;;
    'beaconctl web --model') compopt -o default 2>/dev/null; return ;;
    'beaconctl web --plan') compopt -o default 2>/dev/null; return ;;
    'beaconctl web --past') compopt -o default 2>/dev/null; return ;;
    'beaconctl web --port') return ;;
    'beaconctl web --survey') compopt -o default 2>/dev/null; return ;;
    'beaconctl web --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl web --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl web --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl web --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl web --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl demo --speed') return ;;
    'beaconctl demo --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl record --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl record --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl record --rotate') return ;;
    'beaconctl record --keep') return ;;
    'beaconctl record --mode') return ;;
    'beaconctl record --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl record --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl record --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl record --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl record --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl inspect --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl inspect --format') _beaconctl_add '' table json; return ;;
    'beaconctl inspect --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl plot -r'|'beaconctl plot --region') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config show --regions 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl plot -s'|'beaconctl plot --beacon'|'beaconctl plot --satisfying') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl plot --since') return ;;
    'beaconctl plot --until') return ;;
    'beaconctl plot --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl plot --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl plot --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl plot -o'|'beaconctl plot --output') compopt -o default 2>/dev/null; return ;;
    'beaconctl plot --time') _beaconctl_add '' local utc; return ;;
    'beaconctl plot --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl convert --since') return ;;
    'beaconctl convert --until') return ;;
    'beaconctl convert --to') _beaconctl_add '' btsnoop pcap jsonl; return ;;
    'beaconctl convert --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl decode --as') _beaconctl_add '' ad manufacturer hci; return ;;
    'beaconctl decode --format') _beaconctl_add '' table jsonl; return ;;
    'beaconctl decode --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl rehearse --format') _beaconctl_add '' table json; return ;;
    'beaconctl rehearse --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl history --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl history visits --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl history visits --since') return ;;
    'beaconctl history visits --until') return ;;
    'beaconctl history visits -r'|'beaconctl history visits --region') return ;;
    'beaconctl history visits --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl history visits --format') _beaconctl_add '' table jsonl csv; return ;;
    'beaconctl history visits --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl history visits --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl history crossings --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl history crossings --since') return ;;
    'beaconctl history crossings --until') return ;;
    'beaconctl history crossings -r'|'beaconctl history crossings --region') return ;;
    'beaconctl history crossings --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl history crossings --format') _beaconctl_add '' table jsonl csv; return ;;
    'beaconctl history crossings --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl history crossings --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl history minutes --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl history minutes --since') return ;;
    'beaconctl history minutes --until') return ;;
    'beaconctl history minutes --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl history minutes --format') _beaconctl_add '' table jsonl csv; return ;;
    'beaconctl history minutes --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl history minutes --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl history places --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl history places --since') return ;;
    'beaconctl history places --until') return ;;
    'beaconctl history places --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl history places --format') _beaconctl_add '' table jsonl csv; return ;;
    'beaconctl history places --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl history places --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl history receivers --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl history receivers --since') return ;;
    'beaconctl history receivers --until') return ;;
    'beaconctl history receivers --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl history receivers --format') _beaconctl_add '' table jsonl csv; return ;;
    'beaconctl history receivers --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl history receivers --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl history notices --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl history notices --since') return ;;
    'beaconctl history notices --until') return ;;
    'beaconctl history notices --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl history notices --format') _beaconctl_add '' table jsonl csv; return ;;
    'beaconctl history notices --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl history notices --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl history purge --history') compopt -o default 2>/dev/null; return ;;
    'beaconctl history purge --before') return ;;
    'beaconctl history purge --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl name --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl name --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl advertise --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl advertise --power') return ;;
    'beaconctl advertise --for') return ;;
    'beaconctl advertise --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl calibrate --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl calibrate measure --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl calibrate measure --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl calibrate measure -f'|'beaconctl calibrate measure --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl calibrate measure -b'|'beaconctl calibrate measure --beacon') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl calibrate measure --at') return ;;
    'beaconctl calibrate measure --receiver') return ;;
    'beaconctl calibrate measure --samples') return ;;
    'beaconctl calibrate measure --for') return ;;
    'beaconctl calibrate measure --write') compopt -o default 2>/dev/null; return ;;
    'beaconctl calibrate measure --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl calibrate measure --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl calibrate measure --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl calibrate measure --format') _beaconctl_add '' table json; return ;;
    'beaconctl calibrate measure --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl calibrate sweep -f'|'beaconctl calibrate sweep --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl calibrate sweep -s'|'beaconctl calibrate sweep --beacon'|'beaconctl calibrate sweep --satisfying') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl calibrate sweep --try') return ;;
    'beaconctl calibrate sweep --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl calibrate sweep --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl calibrate sweep --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl calibrate sweep --format') _beaconctl_add '' table jsonl; return ;;
    'beaconctl calibrate sweep --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum guide --plan') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum guide --language') return ;;
    'beaconctl museum guide --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl museum guide --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl museum guide -f'|'beaconctl museum guide --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum guide --simulate') return ;;
    'beaconctl museum guide --speed') return ;;
    'beaconctl museum guide --client') return ;;
    'beaconctl museum guide --manifest') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum guide --answers') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum guide --record') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum guide --mode') return ;;
    'beaconctl museum guide --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl museum guide --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl museum guide --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum guide --format') _beaconctl_add '' table jsonl none; return ;;
    'beaconctl museum guide --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl museum guide --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum serve --plan') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum serve --language') return ;;
    'beaconctl museum serve --port') return ;;
    'beaconctl museum serve --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl museum serve --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl museum serve -f'|'beaconctl museum serve --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum serve --simulate') return ;;
    'beaconctl museum serve --speed') return ;;
    'beaconctl museum serve --client') return ;;
    'beaconctl museum serve --manifest') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum serve --answers') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum serve --record') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum serve --mode') return ;;
    'beaconctl museum serve --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl museum serve --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl museum serve --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum serve --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum simulate --plan') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum simulate --seed') return ;;
    'beaconctl museum simulate --visitors') return ;;
    'beaconctl museum simulate --truth') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum simulate --delivered') return ;;
    'beaconctl museum simulate --bystanders') return ;;
    'beaconctl museum simulate --listen') return ;;
    'beaconctl museum simulate --pause') return ;;
    'beaconctl museum simulate --to') _beaconctl_add '' btsnoop pcap jsonl; return ;;
    'beaconctl museum simulate --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum report --plan') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum report --language') return ;;
    'beaconctl museum report --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl museum report --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl museum report --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum report --html') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum report --csv') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum report --format') _beaconctl_add '' table jsonl csv none; return ;;
    'beaconctl museum report --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum doctor --plan') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum doctor --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl museum doctor --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl museum doctor -f'|'beaconctl museum doctor --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum doctor --format') _beaconctl_add '' table json; return ;;
    'beaconctl museum doctor --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum plan --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum plan new --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl museum plan new --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl museum plan new -f'|'beaconctl museum plan new --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum plan new -s'|'beaconctl museum plan new --beacon'|'beaconctl museum plan new --satisfying') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl museum plan new --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum plan check --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum plan show --language') return ;;
    'beaconctl museum plan show --svg') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum plan show --labels') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum plan show --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl museum plan edit --port') return ;;
    'beaconctl museum plan edit --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl museum plan edit --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl museum plan edit -f'|'beaconctl museum plan edit --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl museum plan edit --speed') return ;;
    'beaconctl museum plan edit --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl service --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl service run --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl service run --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl service run -f'|'beaconctl service run --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl service run --speed') return ;;
    'beaconctl service run --bus') _beaconctl_add '' system session; return ;;
    'beaconctl service run --state') compopt -o default 2>/dev/null; return ;;
    'beaconctl service run --grants') compopt -o default 2>/dev/null; return ;;
    'beaconctl service run --log') _beaconctl_add '' error warning notice info; return ;;
    'beaconctl service run --record') compopt -o default 2>/dev/null; return ;;
    'beaconctl service run --rotate') return ;;
    'beaconctl service run --keep') return ;;
    'beaconctl service run --mode') return ;;
    'beaconctl service run --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl service run --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl service run --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl service run --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl service agent --bus') _beaconctl_add '' system session; return ;;
    'beaconctl service agent --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl service status --bus') _beaconctl_add '' system session; return ;;
    'beaconctl service status --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl auth --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl auth status --client') return ;;
    'beaconctl auth status --bus') _beaconctl_add '' system session; return ;;
    'beaconctl auth status --format') _beaconctl_add '' table json jsonl; return ;;
    'beaconctl auth status --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl auth set --client') return ;;
    'beaconctl auth set --bus') _beaconctl_add '' system session; return ;;
    'beaconctl auth set --format') _beaconctl_add '' table json jsonl; return ;;
    'beaconctl auth set --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl auth precise --client') return ;;
    'beaconctl auth precise --bus') _beaconctl_add '' system session; return ;;
    'beaconctl auth precise --format') _beaconctl_add '' table json jsonl; return ;;
    'beaconctl auth precise --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl auth services --bus') _beaconctl_add '' system session; return ;;
    'beaconctl auth services --format') _beaconctl_add '' table json jsonl; return ;;
    'beaconctl auth services --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl auth reset --client') return ;;
    'beaconctl auth reset --bus') _beaconctl_add '' system session; return ;;
    'beaconctl auth reset --format') _beaconctl_add '' table json jsonl; return ;;
    'beaconctl auth reset --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl auth forget --client') return ;;
    'beaconctl auth forget --format') _beaconctl_add '' table json jsonl; return ;;
    'beaconctl auth forget --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl site --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl site survey -f'|'beaconctl site survey --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl site survey --truth') compopt -o default 2>/dev/null; return ;;
    'beaconctl site survey -s'|'beaconctl site survey --beacon'|'beaconctl site survey --satisfying') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl site survey --stay') return ;;
    'beaconctl site survey --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl site survey --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl site survey --write') compopt -o default 2>/dev/null; return ;;
    'beaconctl site survey --undo') compopt -o default 2>/dev/null; return ;;
    'beaconctl site survey --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl site survey --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl site fuse -f'|'beaconctl site fuse --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl site fuse --model') compopt -o default 2>/dev/null; return ;;
    'beaconctl site fuse -s'|'beaconctl site fuse --beacon'|'beaconctl site fuse --satisfying') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl site fuse --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl site fuse --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl site fuse --format') _beaconctl_add '' table jsonl; return ;;
    'beaconctl site fuse --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl site fuse --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl site fuse --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl site health -f'|'beaconctl site health --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl site health -s'|'beaconctl site health --beacon'|'beaconctl site health --satisfying') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl site health --plan') compopt -o default 2>/dev/null; return ;;
    'beaconctl site health --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl site health --format') _beaconctl_add '' table json; return ;;
    'beaconctl site health --time') _beaconctl_add '' local utc iso relative none; return ;;
    'beaconctl site health --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl gateway --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl gateway --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl gateway -f'|'beaconctl gateway --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl gateway --speed') return ;;
    'beaconctl gateway -s'|'beaconctl gateway --beacon'|'beaconctl gateway --satisfying') mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl gateway -r'|'beaconctl gateway --region') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config show --regions 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl gateway --state') compopt -o default 2>/dev/null; return ;;
    'beaconctl gateway --broker') return ;;
    'beaconctl gateway --site') return ;;
    'beaconctl gateway --gateway') return ;;
    'beaconctl gateway --spool') compopt -o default 2>/dev/null; return ;;
    'beaconctl gateway --model') compopt -o default 2>/dev/null; return ;;
    'beaconctl gateway --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl gateway --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl gateway --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl gateway --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl proxy --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl proxy --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl proxy -f'|'beaconctl proxy --from') compopt -o default 2>/dev/null; return ;;
    'beaconctl proxy --speed') return ;;
    'beaconctl proxy --key-file') compopt -o default 2>/dev/null; return ;;
    'beaconctl proxy --listen') return ;;
    'beaconctl proxy --name') return ;;
    'beaconctl proxy --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl proxy --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl proxy --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl proxy --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl doctor --adapter') mapfile -t lines < <(ls /sys/class/bluetooth 2>/dev/null); _beaconctl_add '' "${lines[@]}"; return ;;
    'beaconctl doctor --via') _beaconctl_add '' dbus kernel; return ;;
    'beaconctl doctor --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl doctor --format') _beaconctl_add '' table json; return ;;
    'beaconctl doctor --report') compopt -o default 2>/dev/null; return ;;
    'beaconctl doctor --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl config --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl config list --format') _beaconctl_add '' table json; return ;;
    'beaconctl config list --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl config show --profile') _beaconctl_add '' default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12; return ;;
    'beaconctl config show --set') compopt -o nospace 2>/dev/null; mapfile -t lines < <(beaconctl config list --keys 2>/dev/null); _beaconctl_add '=' "${lines[@]}"; return ;;
    'beaconctl config show --config') compopt -o default 2>/dev/null; return ;;
    'beaconctl config show --format') _beaconctl_add '' table json; return ;;
    'beaconctl config show --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl config check --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl config path --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl config edit --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl help --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl completion --color') _beaconctl_add '' auto always never; return ;;
    'beaconctl manual --color') _beaconctl_add '' auto always never; return ;;
  esac
  case $path in
    'beaconctl')
      _beaconctl_add '' range monitor scan web demo record inspect plot convert decode rehearse history name advertise calibrate museum service auth site gateway proxy doctor config help completion manual -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl range')
      _beaconctl_add '' --adapter --via -f --from --speed --drain --plan --simulate --since --until -s --beacon --satisfying -r --region --while-inside --state --client --manifest --answers --ask --direct --record --include-addresses --history --profile --set --config --format -o --output --force --time --summary -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl monitor')
      _beaconctl_add '' --adapter --via -f --from --speed --drain --plan --simulate --since --until -r --region --state --place --model --client --manifest --answers --ask --direct --record --include-addresses --history --why --exec --notify --profile --set --config --format -o --output --force --time --summary -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl scan')
      _beaconctl_add '' --adapter --via -f --from --speed --drain --plan --simulate --since --until -s --beacon --satisfying --record --mode --profile --set --config --format -o --output --force --time --summary --include-addresses -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl web')
      _beaconctl_add '' --adapter --via -f --from --speed -s --beacon --satisfying -r --region --state --place --model --plan --past --port --public --once --survey --history --profile --set --config -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl demo')
      _beaconctl_add '' --speed -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl record')
      case $typed in -*) _beaconctl_add '' --adapter --via --rotate --keep --mode --force --include-addresses --history --profile --set --config --summary -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl inspect')
      case $typed in -*) _beaconctl_add '' --config --format --summary -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl plot')
      case $typed in -*) _beaconctl_add '' -r --region -s --beacon --satisfying --since --until --drain --profile --set --config -o --output --force --time -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl convert')
      case $typed in -*) _beaconctl_add '' --since --until --to --force --include-addresses --summary -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl decode')
      _beaconctl_add '' --as --format --summary -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl rehearse')
      case $typed in -*) _beaconctl_add '' --format -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl history')
      _beaconctl_add '' visits crossings minutes places receivers notices purge -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl history visits')
      _beaconctl_add '' --history --since --until -r --region --config --format --time -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl history crossings')
      _beaconctl_add '' --history --since --until -r --region --config --format --time -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl history minutes')
      _beaconctl_add '' --history --since --until --config --format --time -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl history places')
      _beaconctl_add '' --history --since --until --config --format --time -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl history receivers')
      _beaconctl_add '' --history --since --until --config --format --time -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl history notices')
      _beaconctl_add '' --history --since --until --config --format --time -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl history purge')
      _beaconctl_add '' --history --before -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl name')
      mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; _beaconctl_add '' --remove --config -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl advertise')
      mapfile -t lines < <(beaconctl config show --beacons 2>/dev/null); _beaconctl_add '' "${lines[@]}"; _beaconctl_add '' --adapter --power --for -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl calibrate')
      _beaconctl_add '' measure sweep -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl calibrate measure')
      _beaconctl_add '' --adapter --via -f --from -b --beacon --at --receiver --samples --for --write --zone --keep-zone --force --profile --set --config --format -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl calibrate sweep')
      _beaconctl_add '' -f --from -s --beacon --satisfying --try --profile --set --config --format -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl museum')
      _beaconctl_add '' guide serve simulate report doctor plan -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl museum guide')
      _beaconctl_add '' --plan --language --adapter --via -f --from --simulate --speed --client --manifest --answers --record --mode --include-addresses --profile --set --config --format --force --time --summary -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl museum serve')
      _beaconctl_add '' --plan --language --port --public --once --adapter --via -f --from --simulate --speed --client --manifest --answers --record --mode --include-addresses --profile --set --config --force --summary -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl museum simulate')
      case $typed in -*) _beaconctl_add '' --plan --seed --visitors --truth --delivered --bystanders --listen --pause --stale-rssi --to --force --summary -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl museum report')
      case $typed in -*) _beaconctl_add '' --plan --language --small-cells --profile --set --config --html --csv --format --force --summary -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl museum doctor')
      _beaconctl_add '' --plan --adapter --via -f --from --format -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl museum plan')
      _beaconctl_add '' new check show edit -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl museum plan new')
      case $typed in -*) _beaconctl_add '' --adapter --via -f --from -s --beacon --satisfying --force -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl museum plan check')
      case $typed in -*) _beaconctl_add '' -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl museum plan show')
      case $typed in -*) _beaconctl_add '' --language --svg --labels --force -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl museum plan edit')
      case $typed in -*) _beaconctl_add '' --port --live --adapter --via -f --from --speed -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl service')
      _beaconctl_add '' run agent status -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl service run')
      _beaconctl_add '' --adapter --via -f --from --speed --bus --state --grants --log --record --rotate --keep --mode --force --include-addresses --profile --set --config -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl service agent')
      _beaconctl_add '' --bus -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl service status')
      _beaconctl_add '' --bus -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl auth')
      _beaconctl_add '' status set precise services reset forget -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl auth status')
      _beaconctl_add '' --client --account --bus --format -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl auth set')
      _beaconctl_add '' notDetermined denied whenInUse always restricted --client --account --bus --format -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl auth precise')
      _beaconctl_add '' on off --client --account --bus --format -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl auth services')
      _beaconctl_add '' on off --machine --account --bus --format -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl auth reset')
      _beaconctl_add '' --client --account --bus --format -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl auth forget')
      _beaconctl_add '' --client --format -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl site')
      _beaconctl_add '' survey fuse health -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl site survey')
      _beaconctl_add '' -f --from --truth -s --beacon --satisfying --live --stay --adapter --via --write --force --undo --config -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl site fuse')
      _beaconctl_add '' -f --from --model -s --beacon --satisfying --adapter --via --format --time --config -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl site health')
      _beaconctl_add '' -f --from -s --beacon --satisfying --plan --config --all --format --time -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl gateway')
      _beaconctl_add '' --adapter --via -f --from --speed -s --beacon --satisfying -r --region --state --broker --site --gateway --spool --home-assistant --espresense --model --profile --set --config -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl proxy')
      _beaconctl_add '' --adapter --via -f --from --speed --key-file --insecure --listen --name --profile --set --config -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl doctor')
      _beaconctl_add '' --adapter --via --config --format --report --force -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl config')
      _beaconctl_add '' list show check path edit -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl config list')
      _beaconctl_add '' --format --keys -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl config show')
      _beaconctl_add '' --profile --set --config --format --regions --beacons -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl config check')
      case $typed in -*) _beaconctl_add '' -h --help -V --version -v --verbose -q --quiet --color ;; *) compopt -o default 2>/dev/null ;; esac ;;
    'beaconctl config path')
      _beaconctl_add '' -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl config edit')
      _beaconctl_add '' -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl help')
      _beaconctl_add '' range monitor scan record inspect plot convert decode rehearse name advertise web demo history calibrate museum service site gateway proxy doctor -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl completion')
      _beaconctl_add '' bash zsh fish -h --help -V --version -v --verbose -q --quiet --color ;;
    'beaconctl manual')
      _beaconctl_add '' -h --help -V --version -v --verbose -q --quiet --color ;;
  esac
}
complete -F _beaconctl 'beaconctl'
