#compdef beaconctl
# Completion of beaconctl for zsh; made by 'beaconctl completion zsh'.

_beaconctl_manual() {
  _arguments -s -S \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1::the command; without one, the program'\''s page: '
}

_beaconctl_completion() {
  _arguments -s -S \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:the shell:(bash zsh fish)'
}

_beaconctl_doctor() {
  _arguments -s -S \
    '(--adapter)--adapter=[listen live; without a source, on every powered adapter]:hci0|ADDRESS|all: ' \
    '(--via)--via=[how reports come; kernel (CAP_NET_RAW) where permitted]:dbus|kernel:(dbus kernel)' \
    '(--format)--format=[table on a terminal, else json]:table|json:(table json)' \
    '(--report)--report=[also write everything into a new file, without addresses, to be sent to somebody]:FILE:_files' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_config_check() {
  _arguments -s -S \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:a configuration file, JSON5:_files'
}

_beaconctl_config_show() {
  _arguments -s -S \
    '(--profile)--profile=[the set of constants to begin with]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[one constant, by its '\''config list'\'' key]:KEY=VALUE: ' \
    '(--config)--config=[a configuration file, JSON5]:FILE:_files' \
    '(--format)--format=[table on a terminal, else json]:table|json:(table json)' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_config_list() {
  _arguments -s -S \
    '(--format)--format=[table on a terminal, else json]:table|json:(table json)' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_config() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'list:every constant with its unit, default and reason'
        'show:every constant'\''s value and where it came from'
        'check:whether a configuration file is right; exit code 2 if not'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        list) _beaconctl_config_list ;;
        show) _beaconctl_config_show ;;
        check) _beaconctl_config_check ;;
      esac ;;
  esac
}

_beaconctl_auth_reset() {
  _arguments -s -S \
    '(--client)--client=[the client]:ID: ' \
    '(--format)--format=[table on a terminal, else json; jsonl is an object a client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_auth_services() {
  _arguments -s -S \
    '(--format)--format=[table on a terminal, else json; jsonl is an object a client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:the position:(on off)'
}

_beaconctl_auth_precise() {
  _arguments -s -S \
    '(--client)--client=[the client]:ID: ' \
    '(--format)--format=[table on a terminal, else json; jsonl is an object a client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:the position:(on off)'
}

_beaconctl_auth_set() {
  _arguments -s -S \
    '(--client)--client=[the client]:ID: ' \
    '(--format)--format=[table on a terminal, else json; jsonl is an object a client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:what the client may\: ask anew, nothing, know while it is in use, know at any time:(notDetermined denied whenInUse always)'
}

_beaconctl_auth_status() {
  _arguments -s -S \
    '(--client)--client=[the client]:ID: ' \
    '(--format)--format=[table on a terminal, else json; jsonl is an object a client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_auth() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'status:the grants of a client, or of all that have any'
        'set:grants or refuses in the person'\''s place'
        'precise:full or reduced accuracy'
        'services:the machine'\''s switch, which holds for every client'
        'reset:forgets a client, as if it had never asked'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        status) _beaconctl_auth_status ;;
        set) _beaconctl_auth_set ;;
        precise) _beaconctl_auth_precise ;;
        services) _beaconctl_auth_services ;;
        reset) _beaconctl_auth_reset ;;
      esac ;;
  esac
}

_beaconctl_museum_plan_check() {
  _arguments -s -S \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:a museum plan, JSON5:_files'
}

_beaconctl_museum_plan_new() {
  _arguments -s -S \
    '(--adapter)--adapter=[listen live; without a source, on every powered adapter]:hci0|ADDRESS|all: ' \
    '(--via)--via=[how reports come; kernel (CAP_NET_RAW) where permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '*--from=[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '*-s+[only beacons satisfying this identity constraint]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*--satisfying=[only beacons satisfying this identity constraint]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*--beacon=[only beacons satisfying this identity constraint]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '(--force)--force[replace existing files]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1::the plan to write; standard output unless given:_files'
}

_beaconctl_museum_plan() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'new:listen, walk, label\: a plan to fill in'
        'check:whether a plan is right; exit code 2 if not'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        new) _beaconctl_museum_plan_new ;;
        check) _beaconctl_museum_plan_check ;;
      esac ;;
  esac
}

_beaconctl_museum_report() {
  _arguments -s -S \
    '(--plan)--plan=[the museum plan]:FILE:_files' \
    '(--language)--language=[the plan'\''s language that names are shown in; its first unless given]:TAG: ' \
    '(--small-cells)--small-cells[show figures about fewer than 5 visitors too; of one visit everything is shown]' \
    '(--profile)--profile=[the set of constants to begin with]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[one constant, by its '\''config list'\'' key]:KEY=VALUE: ' \
    '(--config)--config=[a configuration file, JSON5]:FILE:_files' \
    '(--html)--html=[the page to write]:FILE:_files' \
    '(--csv)--csv=[the table of exhibits to write, comma-separated]:FILE:_files' \
    '(--force)--force[replace existing files]' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '*:a recording of one visit, of any format:_files'
}

_beaconctl_museum_simulate() {
  _arguments -s -S \
    '(--plan)--plan=[the museum plan]:FILE:_files' \
    '(--seed)--seed=[1 unless given]:SEED: ' \
    '(--visitors)--visitors=[how many come in the day; 1 unless given]:N: ' \
    '(--truth)--truth=[where every visitor really was, ten times a second, as JSON Lines]:FILE:_files' \
    '(--delivered)--delivered=[the share of strong packets that arrive; 0.77 unless given]:SHARE: ' \
    '(--bystanders)--bystanders=[people who stand about, for each square meter; 0 unless given]:N: ' \
    '(--listen)--listen=[how long the receiver listens at a time; always unless given]:TIME: ' \
    '(--pause)--pause=[how long the receiver pauses between]:TIME: ' \
    '(--stale-rssi)--stale-rssi[tell RSSI as BlueZ does without RSSI in the filter\: only changes of 8 dB and more]' \
    '(--to)--to=[the format to write; by OUT'\''s ending unless given]:btsnoop|pcap|jsonl:(btsnoop pcap jsonl)' \
    '(--force)--force[replace existing files]' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:the capture to write; of several visitors each has a number before the ending:_files'
}

_beaconctl_museum_serve() {
  _arguments -s -S \
    '(--plan)--plan=[the museum plan]:FILE:_files' \
    '(--language)--language=[the plan'\''s language that names are shown in; its first unless given]:TAG: ' \
    '(--port)--port=[the port to serve on, 0 for one that is free; 8080 unless given]:PORT: ' \
    '(--public)--public[let everybody who can reach this machine see the pages; else only this machine can]' \
    '(--once)--once[end with the capture or the simulated visit instead of serving its last moment]' \
    '(--adapter)--adapter=[listen live; without a source, on every powered adapter]:hci0|ADDRESS|all: ' \
    '(--via)--via=[how reports come; kernel (CAP_NET_RAW) where permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '*--from=[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '(--simulate)--simulate=[guide a visitor who is simulated, the same for the same seed]:SEED: ' \
    '(--speed)--speed=[how fast to play; 1x unless given]:max|1x|10x: ' \
    '(--client)--client=[who asks; the operator, who may know all, unless given]:ID: ' \
    '(--manifest)--manifest=[what the client says of itself]:FILE:_files' \
    '(--answers)--answers=[a person'\''s answers, as scenario files have them]:FILE:_files' \
    '(--record)--record=[record the inputs of this very run; a live run continues a recording that exists]:FILE:_files' \
    '(--mode)--mode=[the permissions of a new recording; 600, only you, unless given]:MODE: ' \
    '(--redact)--redact[addresses as pseudonyms of the file; this is the default]' \
    '(--include-addresses)--include-addresses[tell device addresses, which appear nowhere without it]' \
    '(--profile)--profile=[the set of constants to begin with]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[one constant, by its '\''config list'\'' key]:KEY=VALUE: ' \
    '(--config)--config=[a configuration file, JSON5]:FILE:_files' \
    '(--force)--force[replace existing files]' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_museum_guide() {
  _arguments -s -S \
    '(--plan)--plan=[the museum plan]:FILE:_files' \
    '(--language)--language=[the plan'\''s language that names are shown in; its first unless given]:TAG: ' \
    '(--adapter)--adapter=[listen live; without a source, on every powered adapter]:hci0|ADDRESS|all: ' \
    '(--via)--via=[how reports come; kernel (CAP_NET_RAW) where permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '*--from=[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '(--simulate)--simulate=[guide a visitor who is simulated, the same for the same seed]:SEED: ' \
    '(--speed)--speed=[how fast to play; on a screen 1x, else max, unless given]:max|1x|10x: ' \
    '(--client)--client=[who asks; the operator, who may know all, unless given]:ID: ' \
    '(--manifest)--manifest=[what the client says of itself]:FILE:_files' \
    '(--answers)--answers=[a person'\''s answers, as scenario files have them]:FILE:_files' \
    '(--record)--record=[record the inputs of this very run; a live run continues a recording that exists]:FILE:_files' \
    '(--mode)--mode=[the permissions of a new recording; 600, only you, unless given]:MODE: ' \
    '(--redact)--redact[addresses as pseudonyms of the file; this is the default]' \
    '(--include-addresses)--include-addresses[tell device addresses, which appear nowhere without it]' \
    '(--profile)--profile=[the set of constants to begin with]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[one constant, by its '\''config list'\'' key]:KEY=VALUE: ' \
    '(--config)--config=[a configuration file, JSON5]:FILE:_files' \
    '(--format)--format=[table narrates; a screen on a terminal, else jsonl, unless given]:table|jsonl|none:(table jsonl none)' \
    '(--force)--force[replace existing files]' \
    '(--time)--time=[how a table shows times]:iso|relative|none:(iso relative none)' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_museum() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'guide:the visitor'\''s guide over a museum plan'
        'serve:the same guide, and the operator'\''s view, as pages'
        'simulate:visits through a plan\: captures and their ground truth'
        'report:a report of visits, one recording a visitor'
        'plan:make and check museum plans'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        guide) _beaconctl_museum_guide ;;
        serve) _beaconctl_museum_serve ;;
        simulate) _beaconctl_museum_simulate ;;
        report) _beaconctl_museum_report ;;
        plan) _beaconctl_museum_plan ;;
      esac ;;
  esac
}

_beaconctl_calibrate() {
  _arguments -s -S \
    '(--adapter)--adapter=[listen live; without a source, on every powered adapter]:hci0|ADDRESS|all: ' \
    '(--via)--via=[how reports come; kernel (CAP_NET_RAW) where permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '*--from=[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '*-b+[the beacon, all of UUID/MAJOR/MINOR; several with --receiver, each with its --at]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*--beacon=[the beacon, all of UUID/MAJOR/MINOR; several with --receiver, each with its --at]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*--at=[how far the receiver is from the beacon, by tape; 1m unless given, one for each capture]:DISTANCE: ' \
    '(--receiver)--receiver=[learn what this receiver'\''s RSSI is off by, from beacons whose power is known]:NAME|all: ' \
    '(--samples)--samples=[how many samples to take at each distance, live; 100 unless given]:N: ' \
    '(--for)--for=[how long to wait for them, live; 2m unless given]:TIME: ' \
    '(--write)--write=[put the result into this configuration file, for --config; the rest of it stays as it is]:FILE:_files' \
    '(--profile)--profile=[the set of constants to begin with]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[one constant, by its '\''config list'\'' key]:KEY=VALUE: ' \
    '(--config)--config=[a configuration file, JSON5]:FILE:_files' \
    '(--format)--format=[table on a terminal, else json]:table|json:(table json)' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_rehearse() {
  _arguments -s -S \
    '(--format)--format=[table, or json with an object a line]:table|json:(table json)' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '*:a scenario file, JSON5:_files'
}

_beaconctl_convert() {
  _arguments -s -S \
    '(--to)--to=[the format to write; by OUT'\''s ending unless given]:btsnoop|pcap|jsonl:(btsnoop pcap jsonl)' \
    '(--force)--force[replace existing files]' \
    '(--redact)--redact[addresses as pseudonyms of the file; this is the default]' \
    '(--include-addresses)--include-addresses[tell device addresses, which appear nowhere without it]' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:the capture to read; - is standard input:_files' \
    '2:the capture to write; - is standard output, with --to:_files'
}

_beaconctl_decode() {
  _arguments -s -S \
    '(--as)--as=[advertising data (unless given), manufacturer data with its company, an HCI packet]:ad|manufacturer|hci:(ad manufacturer hci)' \
    '(--format)--format=[table on a terminal, else jsonl]:table|jsonl:(table jsonl)' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:bytes in hexadecimal; - reads one string a line from standard input: '
}

_beaconctl_inspect() {
  _arguments -s -S \
    '(--format)--format=[table on a terminal, else json]:table|json:(table json)' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:a capture of any format; - is standard input:_files'
}

_beaconctl_record() {
  _arguments -s -S \
    '(--adapter)--adapter=[listen live; without a source, on every powered adapter]:hci0|ADDRESS|all: ' \
    '(--via)--via=[how reports come; kernel (CAP_NET_RAW) where permitted]:dbus|kernel:(dbus kernel)' \
    '(--rotate)--rotate=[go on in a new file after so much, such as 10M or 1h; the old one is FILE.1]:SIZE|TIME: ' \
    '(--keep)--keep=[how many older files to keep; 4 unless given]:N: ' \
    '(--mode)--mode=[the permissions of a new file; 600, only you, unless given]:MODE: ' \
    '(--force)--force[replace existing files]' \
    '(--redact)--redact[addresses as pseudonyms of the file; this is the default]' \
    '(--include-addresses)--include-addresses[tell device addresses, which appear nowhere without it]' \
    '(--profile)--profile=[the set of constants to begin with]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[one constant, by its '\''config list'\'' key]:KEY=VALUE: ' \
    '(--config)--config=[a configuration file, JSON5]:FILE:_files' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:the recording to write or continue; .btsnoop and .pcap keep reports alone, all else is JSON Lines:_files'
}

_beaconctl_monitor() {
  _arguments -s -S \
    '(--adapter)--adapter=[listen live; without a source, on every powered adapter]:hci0|ADDRESS|all: ' \
    '(--via)--via=[how reports come; kernel (CAP_NET_RAW) where permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '*--from=[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '(--speed)--speed=[how fast to replay; max unless given]:max|1x|10x: ' \
    '(--drain)--drain[after the end of a capture run on until every region has settled]' \
    '*-r+[a region with its name]:ID=UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*--region=[a region with its name]:ID=UUID\[/MAJOR\[/MINOR\]\]: ' \
    '(--state)--state=[keep the regions'\'' states for the next run here; live runs keep them in any case]:DIR:_files' \
    '(--client)--client=[who asks; the operator, who may know all, unless given]:ID: ' \
    '(--manifest)--manifest=[what the client says of itself]:FILE:_files' \
    '(--answers)--answers=[a person'\''s answers, as scenario files have them]:FILE:_files' \
    '(--record)--record=[record the inputs of this very run; a live run continues a recording that exists]:FILE:_files' \
    '(--mode)--mode=[the permissions of a new recording; 600, only you, unless given]:MODE: ' \
    '(--redact)--redact[addresses as pseudonyms of the file; this is the default]' \
    '(--include-addresses)--include-addresses[tell device addresses, which appear nowhere without it]' \
    '(--profile)--profile=[the set of constants to begin with]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[one constant, by its '\''config list'\'' key]:KEY=VALUE: ' \
    '(--config)--config=[a configuration file, JSON5]:FILE:_files' \
    '(--format)--format=[table on a terminal, else jsonl; none does all the work and prints nothing]:table|json|jsonl|csv|none:(table json jsonl csv none)' \
    '*-o+[another sink]:FORMAT\:FILE: ' \
    '*--output=[another sink]:FORMAT\:FILE: ' \
    '(--force)--force[replace existing files]' \
    '(--time)--time=[how a table shows times]:iso|relative|none:(iso relative none)' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_range() {
  _arguments -s -S \
    '(--adapter)--adapter=[listen live; without a source, on every powered adapter]:hci0|ADDRESS|all: ' \
    '(--via)--via=[how reports come; kernel (CAP_NET_RAW) where permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '*--from=[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '(--speed)--speed=[how fast to replay; max unless given]:max|1x|10x: ' \
    '(--drain)--drain[after the end of a capture run on until every region has settled]' \
    '*-s+[only beacons satisfying this identity constraint]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*--satisfying=[only beacons satisfying this identity constraint]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*--beacon=[only beacons satisfying this identity constraint]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*-r+[a region with its name]:ID=UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*--region=[a region with its name]:ID=UUID\[/MAJOR\[/MINOR\]\]: ' \
    '(--while-inside)--while-inside=[range only while inside that region]:ID: ' \
    '(--state)--state=[keep the regions'\'' states for the next run here; live runs keep them in any case]:DIR:_files' \
    '(--client)--client=[who asks; the operator, who may know all, unless given]:ID: ' \
    '(--manifest)--manifest=[what the client says of itself]:FILE:_files' \
    '(--answers)--answers=[a person'\''s answers, as scenario files have them]:FILE:_files' \
    '(--record)--record=[record the inputs of this very run; a live run continues a recording that exists]:FILE:_files' \
    '(--mode)--mode=[the permissions of a new recording; 600, only you, unless given]:MODE: ' \
    '(--redact)--redact[addresses as pseudonyms of the file; this is the default]' \
    '(--include-addresses)--include-addresses[tell device addresses, which appear nowhere without it]' \
    '(--profile)--profile=[the set of constants to begin with]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[one constant, by its '\''config list'\'' key]:KEY=VALUE: ' \
    '(--config)--config=[a configuration file, JSON5]:FILE:_files' \
    '(--format)--format=[table on a terminal, else jsonl; none does all the work and prints nothing]:table|json|jsonl|csv|none:(table json jsonl csv none)' \
    '*-o+[another sink]:FORMAT\:FILE: ' \
    '*--output=[another sink]:FORMAT\:FILE: ' \
    '(--force)--force[replace existing files]' \
    '(--time)--time=[how a table shows times]:iso|relative|none:(iso relative none)' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_scan() {
  _arguments -s -S \
    '(--adapter)--adapter=[listen live; without a source, on every powered adapter]:hci0|ADDRESS|all: ' \
    '(--via)--via=[how reports come; kernel (CAP_NET_RAW) where permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '*--from=[replay a capture of any format; - is standard input; several are merged]:FILE:_files' \
    '(--speed)--speed=[how fast to replay; max unless given]:max|1x|10x: ' \
    '(--drain)--drain[after the end of a capture run on until every region has settled]' \
    '*-s+[only beacons satisfying this identity constraint]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*--satisfying=[only beacons satisfying this identity constraint]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '*--beacon=[only beacons satisfying this identity constraint]:UUID\[/MAJOR\[/MINOR\]\]: ' \
    '(--record)--record=[record the inputs of this very run; a live run continues a recording that exists]:FILE:_files' \
    '(--mode)--mode=[the permissions of a new recording; 600, only you, unless given]:MODE: ' \
    '(--redact)--redact[addresses as pseudonyms of the file; this is the default]' \
    '(--profile)--profile=[the set of constants to begin with]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[one constant, by its '\''config list'\'' key]:KEY=VALUE: ' \
    '(--config)--config=[a configuration file, JSON5]:FILE:_files' \
    '(--format)--format=[table on a terminal, else jsonl; none does all the work and prints nothing]:table|json|jsonl|csv|none:(table json jsonl csv none)' \
    '*-o+[another sink]:FORMAT\:FILE: ' \
    '*--output=[another sink]:FORMAT\:FILE: ' \
    '(--force)--force[replace existing files]' \
    '(--time)--time=[how a table shows times]:iso|relative|none:(iso relative none)' \
    '(--summary)--summary[one JSON object about the run at its end, on standard error]' \
    '(--include-addresses)--include-addresses[tell device addresses, which appear nowhere without it]' \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[this help]' \
    '(-h --help)--help[this help]' \
    '(--version)--version[the version of beaconctl]' \
    '*-v[say of what kind the source is, on standard error]' \
    '*--verbose[say of what kind the source is, on standard error]' \
    '(-q --quiet)-q[tell only errors on standard error]' \
    '(-q --quiet)--quiet[tell only errors on standard error]' \
    '(--color)--color=[color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'scan:every iBeacon as it is heard'
        'range:once a second, the beacons satisfying constraints'
        'monitor:region state, enter, exit'
        'record:the live air into a recording'
        'inspect:what a capture holds'
        'decode:bytes\: the beacon, or the reason why not'
        'convert:one capture format into another'
        'rehearse:scenario files\: inputs on a timeline, expected events'
        'calibrate:the measured power of a beacon or a site, from where you stand'
        'museum:the visitor'\''s guide, visits and plans of a museum'
        'auth:what clients may know\: shown, and changed as in Settings'
        'config:the constants\: what they are, what they are set to, what is wrong'
        'doctor:what is wrong with Bluetooth on this machine, and how to mend it'
        'completion:completion for a shell, to be sourced'
        'manual:the manual pages, for man'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        scan) _beaconctl_scan ;;
        range) _beaconctl_range ;;
        monitor) _beaconctl_monitor ;;
        record) _beaconctl_record ;;
        inspect) _beaconctl_inspect ;;
        decode) _beaconctl_decode ;;
        convert) _beaconctl_convert ;;
        rehearse) _beaconctl_rehearse ;;
        calibrate) _beaconctl_calibrate ;;
        museum) _beaconctl_museum ;;
        auth) _beaconctl_auth ;;
        config) _beaconctl_config ;;
        doctor) _beaconctl_doctor ;;
        completion) _beaconctl_completion ;;
        manual) _beaconctl_manual ;;
      esac ;;
  esac
}

if [ "$funcstack[1]" = "_beaconctl" ]; then
  _beaconctl "$@"
else
  compdef _beaconctl beaconctl
fi
