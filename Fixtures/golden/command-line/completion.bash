# Completion of beaconctl for bash; made by 'beaconctl completion bash'.
_beaconctl() {
  local word previous path index words behind
  word=${COMP_WORDS[COMP_CWORD]}
  previous=${COMP_WORDS[COMP_CWORD-1]}
  # '--name=value' comes as three words.
  if [ "$word" = = ]; then
    word=
  elif [ "$previous" = = ]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  # So does 'name:file'.
  behind=
  if [ "$word" = : ]; then
    word= behind=1 previous=${COMP_WORDS[COMP_CWORD-2]}
  elif [ "$previous" = : ]; then
    behind=1 previous=${COMP_WORDS[COMP_CWORD-3]}
  fi
  path=beaconctl
  index=1
  while [ "$index" -lt "$COMP_CWORD" ]; do
    case "$path ${COMP_WORDS[index]}" in
      "beaconctl range"|"beaconctl monitor"|"beaconctl scan"|"beaconctl web"|"beaconctl record"|"beaconctl inspect"|"beaconctl convert"|"beaconctl decode"|"beaconctl rehearse"|"beaconctl history"|"beaconctl history visits"|"beaconctl history crossings"|"beaconctl history minutes"|"beaconctl history places"|"beaconctl history receivers"|"beaconctl history notices"|"beaconctl history purge"|"beaconctl name"|"beaconctl advertise"|"beaconctl calibrate"|"beaconctl calibrate measure"|"beaconctl calibrate sweep"|"beaconctl museum"|"beaconctl museum guide"|"beaconctl museum serve"|"beaconctl museum simulate"|"beaconctl museum report"|"beaconctl museum plan"|"beaconctl museum plan new"|"beaconctl museum plan check"|"beaconctl museum plan show"|"beaconctl museum plan edit"|"beaconctl service"|"beaconctl service run"|"beaconctl service agent"|"beaconctl service status"|"beaconctl auth"|"beaconctl auth status"|"beaconctl auth set"|"beaconctl auth precise"|"beaconctl auth services"|"beaconctl auth reset"|"beaconctl auth forget"|"beaconctl site"|"beaconctl site survey"|"beaconctl site fuse"|"beaconctl site health"|"beaconctl gateway"|"beaconctl doctor"|"beaconctl config"|"beaconctl config list"|"beaconctl config show"|"beaconctl config check"|"beaconctl config path"|"beaconctl config edit"|"beaconctl help"|"beaconctl completion"|"beaconctl manual")
        path="$path ${COMP_WORDS[index]}" ;;
    esac
    index=$((index + 1))
  done
  COMPREPLY=()
  case "$path $previous" in
    "beaconctl --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl range --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl range --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl range -f"|"beaconctl range --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl range --speed") return ;;
    "beaconctl range --plan") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl range --simulate") return ;;
    "beaconctl range -s"|"beaconctl range --beacon"|"beaconctl range --satisfying") return ;;
    "beaconctl range -r"|"beaconctl range --region") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config show --regions)" -- "$word")); return ;;
    "beaconctl range --while-inside") return ;;
    "beaconctl range --state") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl range --client") return ;;
    "beaconctl range --manifest") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl range --answers") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl range --record") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl range --mode") return ;;
    "beaconctl range --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl range --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl range --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl range --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl range --format") COMPREPLY=($(compgen -W "table json jsonl csv none" -- "$word")); return ;;
    "beaconctl range -o"|"beaconctl range --output") if [ "$behind" ]; then COMPREPLY=($(compgen -f -- "$word")); else compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S : -W "table json jsonl csv" -- "$word")); fi; return ;;
    "beaconctl range --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl range --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl monitor --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl monitor --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl monitor -f"|"beaconctl monitor --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl monitor --speed") return ;;
    "beaconctl monitor --plan") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl monitor --simulate") return ;;
    "beaconctl monitor -r"|"beaconctl monitor --region") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config show --regions)" -- "$word")); return ;;
    "beaconctl monitor --state") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl monitor --place") return ;;
    "beaconctl monitor --model") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl monitor --client") return ;;
    "beaconctl monitor --manifest") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl monitor --answers") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl monitor --record") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl monitor --mode") return ;;
    "beaconctl monitor --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl monitor --exec") return ;;
    "beaconctl monitor --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl monitor --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl monitor --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl monitor --format") COMPREPLY=($(compgen -W "table json jsonl csv none" -- "$word")); return ;;
    "beaconctl monitor -o"|"beaconctl monitor --output") if [ "$behind" ]; then COMPREPLY=($(compgen -f -- "$word")); else compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S : -W "table json jsonl csv" -- "$word")); fi; return ;;
    "beaconctl monitor --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl monitor --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl scan --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl scan --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl scan -f"|"beaconctl scan --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl scan --speed") return ;;
    "beaconctl scan --plan") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl scan --simulate") return ;;
    "beaconctl scan -s"|"beaconctl scan --beacon"|"beaconctl scan --satisfying") return ;;
    "beaconctl scan --record") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl scan --mode") return ;;
    "beaconctl scan --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl scan --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl scan --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl scan --format") COMPREPLY=($(compgen -W "table json jsonl csv none" -- "$word")); return ;;
    "beaconctl scan -o"|"beaconctl scan --output") if [ "$behind" ]; then COMPREPLY=($(compgen -f -- "$word")); else compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S : -W "table json jsonl csv" -- "$word")); fi; return ;;
    "beaconctl scan --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl scan --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl web --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl web --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl web -f"|"beaconctl web --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl web --speed") return ;;
    "beaconctl web -s"|"beaconctl web --beacon"|"beaconctl web --satisfying") return ;;
    "beaconctl web -r"|"beaconctl web --region") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config show --regions)" -- "$word")); return ;;
    "beaconctl web --state") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl web --place") return ;;
    "beaconctl web --model") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl web --plan") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl web --past") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl web --port") return ;;
    "beaconctl web --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl web --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl web --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl web --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl web --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl record --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl record --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl record --rotate") return ;;
    "beaconctl record --keep") return ;;
    "beaconctl record --mode") return ;;
    "beaconctl record --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl record --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl record --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl record --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl record --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl inspect --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl inspect --format") COMPREPLY=($(compgen -W "table json" -- "$word")); return ;;
    "beaconctl inspect --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl convert --since") return ;;
    "beaconctl convert --until") return ;;
    "beaconctl convert --to") COMPREPLY=($(compgen -W "btsnoop pcap jsonl" -- "$word")); return ;;
    "beaconctl convert --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl decode --as") COMPREPLY=($(compgen -W "ad manufacturer hci" -- "$word")); return ;;
    "beaconctl decode --format") COMPREPLY=($(compgen -W "table jsonl" -- "$word")); return ;;
    "beaconctl decode --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl rehearse --format") COMPREPLY=($(compgen -W "table json" -- "$word")); return ;;
    "beaconctl rehearse --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl history --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl history visits --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history visits --since") return ;;
    "beaconctl history visits --until") return ;;
    "beaconctl history visits -r"|"beaconctl history visits --region") return ;;
    "beaconctl history visits --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history visits --format") COMPREPLY=($(compgen -W "table jsonl csv" -- "$word")); return ;;
    "beaconctl history visits --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl history visits --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl history crossings --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history crossings --since") return ;;
    "beaconctl history crossings --until") return ;;
    "beaconctl history crossings -r"|"beaconctl history crossings --region") return ;;
    "beaconctl history crossings --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history crossings --format") COMPREPLY=($(compgen -W "table jsonl csv" -- "$word")); return ;;
    "beaconctl history crossings --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl history crossings --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl history minutes --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history minutes --since") return ;;
    "beaconctl history minutes --until") return ;;
    "beaconctl history minutes --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history minutes --format") COMPREPLY=($(compgen -W "table jsonl csv" -- "$word")); return ;;
    "beaconctl history minutes --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl history minutes --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl history places --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history places --since") return ;;
    "beaconctl history places --until") return ;;
    "beaconctl history places --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history places --format") COMPREPLY=($(compgen -W "table jsonl csv" -- "$word")); return ;;
    "beaconctl history places --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl history places --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl history receivers --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history receivers --since") return ;;
    "beaconctl history receivers --until") return ;;
    "beaconctl history receivers --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history receivers --format") COMPREPLY=($(compgen -W "table jsonl csv" -- "$word")); return ;;
    "beaconctl history receivers --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl history receivers --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl history notices --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history notices --since") return ;;
    "beaconctl history notices --until") return ;;
    "beaconctl history notices --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history notices --format") COMPREPLY=($(compgen -W "table jsonl csv" -- "$word")); return ;;
    "beaconctl history notices --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl history notices --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl history purge --history") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl history purge --before") return ;;
    "beaconctl history purge --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl name --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl name --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl advertise --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl advertise --power") return ;;
    "beaconctl advertise --for") return ;;
    "beaconctl advertise --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl calibrate --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl calibrate measure --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl calibrate measure --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl calibrate measure -f"|"beaconctl calibrate measure --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl calibrate measure -b"|"beaconctl calibrate measure --beacon") return ;;
    "beaconctl calibrate measure --at") return ;;
    "beaconctl calibrate measure --receiver") return ;;
    "beaconctl calibrate measure --samples") return ;;
    "beaconctl calibrate measure --for") return ;;
    "beaconctl calibrate measure --write") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl calibrate measure --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl calibrate measure --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl calibrate measure --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl calibrate measure --format") COMPREPLY=($(compgen -W "table json" -- "$word")); return ;;
    "beaconctl calibrate measure --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl calibrate sweep -f"|"beaconctl calibrate sweep --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl calibrate sweep -s"|"beaconctl calibrate sweep --beacon"|"beaconctl calibrate sweep --satisfying") return ;;
    "beaconctl calibrate sweep --try") return ;;
    "beaconctl calibrate sweep --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl calibrate sweep --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl calibrate sweep --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl calibrate sweep --format") COMPREPLY=($(compgen -W "table jsonl" -- "$word")); return ;;
    "beaconctl calibrate sweep --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl museum --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl museum guide --plan") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum guide --language") return ;;
    "beaconctl museum guide --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl museum guide --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl museum guide -f"|"beaconctl museum guide --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum guide --simulate") return ;;
    "beaconctl museum guide --speed") return ;;
    "beaconctl museum guide --client") return ;;
    "beaconctl museum guide --manifest") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum guide --answers") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum guide --record") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum guide --mode") return ;;
    "beaconctl museum guide --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl museum guide --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl museum guide --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum guide --format") COMPREPLY=($(compgen -W "table jsonl none" -- "$word")); return ;;
    "beaconctl museum guide --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl museum guide --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl museum serve --plan") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum serve --language") return ;;
    "beaconctl museum serve --port") return ;;
    "beaconctl museum serve --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl museum serve --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl museum serve -f"|"beaconctl museum serve --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum serve --simulate") return ;;
    "beaconctl museum serve --speed") return ;;
    "beaconctl museum serve --client") return ;;
    "beaconctl museum serve --manifest") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum serve --answers") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum serve --record") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum serve --mode") return ;;
    "beaconctl museum serve --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl museum serve --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl museum serve --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum serve --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl museum simulate --plan") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum simulate --seed") return ;;
    "beaconctl museum simulate --visitors") return ;;
    "beaconctl museum simulate --truth") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum simulate --delivered") return ;;
    "beaconctl museum simulate --bystanders") return ;;
    "beaconctl museum simulate --listen") return ;;
    "beaconctl museum simulate --pause") return ;;
    "beaconctl museum simulate --to") COMPREPLY=($(compgen -W "btsnoop pcap jsonl" -- "$word")); return ;;
    "beaconctl museum simulate --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl museum report --plan") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum report --language") return ;;
    "beaconctl museum report --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl museum report --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl museum report --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum report --html") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum report --csv") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum report --format") COMPREPLY=($(compgen -W "table jsonl csv none" -- "$word")); return ;;
    "beaconctl museum report --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl museum plan --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl museum plan new --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl museum plan new --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl museum plan new -f"|"beaconctl museum plan new --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum plan new -s"|"beaconctl museum plan new --beacon"|"beaconctl museum plan new --satisfying") return ;;
    "beaconctl museum plan new --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl museum plan check --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl museum plan show --language") return ;;
    "beaconctl museum plan show --svg") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl museum plan show --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl museum plan edit --port") return ;;
    "beaconctl museum plan edit --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl service --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl service run --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl service run --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl service run -f"|"beaconctl service run --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl service run --speed") return ;;
    "beaconctl service run --bus") COMPREPLY=($(compgen -W "system session" -- "$word")); return ;;
    "beaconctl service run --state") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl service run --grants") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl service run --log") COMPREPLY=($(compgen -W "error warning notice info" -- "$word")); return ;;
    "beaconctl service run --record") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl service run --rotate") return ;;
    "beaconctl service run --keep") return ;;
    "beaconctl service run --mode") return ;;
    "beaconctl service run --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl service run --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl service run --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl service run --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl service agent --bus") COMPREPLY=($(compgen -W "system session" -- "$word")); return ;;
    "beaconctl service agent --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl service status --bus") COMPREPLY=($(compgen -W "system session" -- "$word")); return ;;
    "beaconctl service status --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl auth --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl auth status --client") return ;;
    "beaconctl auth status --bus") COMPREPLY=($(compgen -W "system session" -- "$word")); return ;;
    "beaconctl auth status --format") COMPREPLY=($(compgen -W "table json jsonl" -- "$word")); return ;;
    "beaconctl auth status --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl auth set --client") return ;;
    "beaconctl auth set --bus") COMPREPLY=($(compgen -W "system session" -- "$word")); return ;;
    "beaconctl auth set --format") COMPREPLY=($(compgen -W "table json jsonl" -- "$word")); return ;;
    "beaconctl auth set --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl auth precise --client") return ;;
    "beaconctl auth precise --bus") COMPREPLY=($(compgen -W "system session" -- "$word")); return ;;
    "beaconctl auth precise --format") COMPREPLY=($(compgen -W "table json jsonl" -- "$word")); return ;;
    "beaconctl auth precise --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl auth services --bus") COMPREPLY=($(compgen -W "system session" -- "$word")); return ;;
    "beaconctl auth services --format") COMPREPLY=($(compgen -W "table json jsonl" -- "$word")); return ;;
    "beaconctl auth services --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl auth reset --client") return ;;
    "beaconctl auth reset --bus") COMPREPLY=($(compgen -W "system session" -- "$word")); return ;;
    "beaconctl auth reset --format") COMPREPLY=($(compgen -W "table json jsonl" -- "$word")); return ;;
    "beaconctl auth reset --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl auth forget --client") return ;;
    "beaconctl auth forget --format") COMPREPLY=($(compgen -W "table json jsonl" -- "$word")); return ;;
    "beaconctl auth forget --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl site --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl site survey -f"|"beaconctl site survey --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl site survey --truth") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl site survey -s"|"beaconctl site survey --beacon"|"beaconctl site survey --satisfying") return ;;
    "beaconctl site survey --write") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl site survey --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl site fuse -f"|"beaconctl site fuse --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl site fuse --model") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl site fuse -s"|"beaconctl site fuse --beacon"|"beaconctl site fuse --satisfying") return ;;
    "beaconctl site fuse --format") COMPREPLY=($(compgen -W "table jsonl" -- "$word")); return ;;
    "beaconctl site fuse --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl site health -f"|"beaconctl site health --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl site health -s"|"beaconctl site health --beacon"|"beaconctl site health --satisfying") return ;;
    "beaconctl site health --plan") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl site health --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl site health --format") COMPREPLY=($(compgen -W "table json" -- "$word")); return ;;
    "beaconctl site health --time") COMPREPLY=($(compgen -W "local utc iso relative none" -- "$word")); return ;;
    "beaconctl site health --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl gateway --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl gateway --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl gateway -f"|"beaconctl gateway --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl gateway --speed") return ;;
    "beaconctl gateway -s"|"beaconctl gateway --beacon"|"beaconctl gateway --satisfying") return ;;
    "beaconctl gateway -r"|"beaconctl gateway --region") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config show --regions)" -- "$word")); return ;;
    "beaconctl gateway --state") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl gateway --broker") return ;;
    "beaconctl gateway --site") return ;;
    "beaconctl gateway --gateway") return ;;
    "beaconctl gateway --spool") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl gateway --model") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl gateway --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl gateway --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl gateway --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl gateway --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl doctor --adapter") COMPREPLY=($(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$word")); return ;;
    "beaconctl doctor --via") COMPREPLY=($(compgen -W "dbus kernel" -- "$word")); return ;;
    "beaconctl doctor --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl doctor --format") COMPREPLY=($(compgen -W "table json" -- "$word")); return ;;
    "beaconctl doctor --report") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl doctor --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl config --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl config list --format") COMPREPLY=($(compgen -W "table json" -- "$word")); return ;;
    "beaconctl config list --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl config show --profile") COMPREPLY=($(compgen -W "default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12" -- "$word")); return ;;
    "beaconctl config show --set") compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W "$(beaconctl config list --keys)" -- "$word")); return ;;
    "beaconctl config show --config") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "beaconctl config show --format") COMPREPLY=($(compgen -W "table json" -- "$word")); return ;;
    "beaconctl config show --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl config check --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl config path --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl config edit --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl help --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl completion --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
    "beaconctl manual --color") COMPREPLY=($(compgen -W "auto always never" -- "$word")); return ;;
  esac
  words=
  case "$path" in
    "beaconctl")
      words="range monitor scan web record inspect convert decode rehearse history name advertise calibrate museum service auth site gateway doctor config help completion manual -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl range")
      words="--adapter --via -f --from --speed --drain --plan --simulate -s --beacon --satisfying -r --region --while-inside --state --client --manifest --answers --direct --record --mode --include-addresses --history --profile --set --config --format -o --output --force --time --summary -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl monitor")
      words="--adapter --via -f --from --speed --drain --plan --simulate -r --region --state --place --model --client --manifest --answers --direct --record --mode --include-addresses --history --exec --notify --profile --set --config --format -o --output --force --time --summary -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl scan")
      words="--adapter --via -f --from --speed --drain --plan --simulate -s --beacon --satisfying --record --mode --profile --set --config --format -o --output --force --time --summary --include-addresses -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl web")
      words="--adapter --via -f --from --speed -s --beacon --satisfying -r --region --state --place --model --plan --past --port --public --once --history --profile --set --config -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl record")
      words="--adapter --via --rotate --keep --mode --force --include-addresses --history --profile --set --config --summary -h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl inspect")
      words="--config --format --summary -h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl convert")
      words="--since --until --to --force --include-addresses --summary -h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl decode")
      words="--as --format --summary -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl rehearse")
      words="--format -h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl history")
      words="visits crossings minutes places receivers notices purge -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl history visits")
      words="--history --since --until -r --region --config --format --time -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl history crossings")
      words="--history --since --until -r --region --config --format --time -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl history minutes")
      words="--history --since --until --config --format --time -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl history places")
      words="--history --since --until --config --format --time -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl history receivers")
      words="--history --since --until --config --format --time -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl history notices")
      words="--history --since --until --config --format --time -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl history purge")
      words="--history --before -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl name")
      words="--remove --config -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl advertise")
      words="--adapter --power --for -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl calibrate")
      words="measure sweep -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl calibrate measure")
      words="--adapter --via -f --from -b --beacon --at --receiver --samples --for --write --zone --keep-zone --force --profile --set --config --format -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl calibrate sweep")
      words="-f --from -s --beacon --satisfying --try --profile --set --config --format -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl museum")
      words="guide serve simulate report plan -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl museum guide")
      words="--plan --language --adapter --via -f --from --simulate --speed --client --manifest --answers --record --mode --include-addresses --profile --set --config --format --force --time --summary -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl museum serve")
      words="--plan --language --port --public --once --adapter --via -f --from --simulate --speed --client --manifest --answers --record --mode --include-addresses --profile --set --config --force --summary -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl museum simulate")
      words="--plan --seed --visitors --truth --delivered --bystanders --listen --pause --stale-rssi --to --force --summary -h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl museum report")
      words="--plan --language --small-cells --profile --set --config --html --csv --format --force --summary -h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl museum plan")
      words="new check show edit -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl museum plan new")
      words="--adapter --via -f --from -s --beacon --satisfying --force -h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl museum plan check")
      words="-h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl museum plan show")
      words="--language --svg --force -h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl museum plan edit")
      words="--port -h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl service")
      words="run agent status -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl service run")
      words="--adapter --via -f --from --speed --bus --state --grants --log --record --rotate --keep --mode --force --include-addresses --profile --set --config -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl service agent")
      words="--bus -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl service status")
      words="--bus -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl auth")
      words="status set precise services reset forget -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl auth status")
      words="--client --account --bus --format -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl auth set")
      words="notDetermined denied whenInUse always --client --account --bus --format -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl auth precise")
      words="on off --client --account --bus --format -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl auth services")
      words="on off --machine --account --bus --format -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl auth reset")
      words="--client --account --bus --format -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl auth forget")
      words="--client --format -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl site")
      words="survey fuse health -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl site survey")
      words="-f --from --truth -s --beacon --satisfying --write --force -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl site fuse")
      words="-f --from --model -s --beacon --satisfying --format -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl site health")
      words="-f --from -s --beacon --satisfying --plan --config --all --format --time -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl gateway")
      words="--adapter --via -f --from --speed -s --beacon --satisfying -r --region --state --broker --site --gateway --spool --home-assistant --espresense --model --profile --set --config -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl doctor")
      words="--adapter --via --config --format --report --force -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl config")
      words="list show check path edit -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl config list")
      words="--format --keys -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl config show")
      words="--profile --set --config --format --regions -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl config check")
      words="-h --help -V --version -v --verbose -q --quiet --color"
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
    "beaconctl config path")
      words="-h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl config edit")
      words="-h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl help")
      words="range monitor scan record inspect convert decode rehearse name advertise web history calibrate museum service site gateway doctor -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl completion")
      words="bash zsh fish -h --help -V --version -v --verbose -q --quiet --color"
      ;;
    "beaconctl manual")
      words="-h --help -V --version -v --verbose -q --quiet --color"
      ;;
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$word"))
}
complete -o filenames -F _beaconctl beaconctl
