#compdef beaconctl
# Completion of beaconctl for zsh; made by 'beaconctl completion zsh'.

_beaconctl_words() {
  local -a words
  words=(${(f)"$(eval $2 2>/dev/null)"})
  compadd -S "$1" -a words
}

_beaconctl_file_after() {
  if compset -P '*:'; then
    _files
  else
    compadd -S : -- "$@"
  fi
}

_beaconctl_manual() {
  _arguments -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1::The command; without one, the page of the program: '
}

_beaconctl_completion() {
  _arguments -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:The shell:(bash zsh fish)'
}

_beaconctl_help() {
  _arguments -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '*::The command; without one, all are listed:(range monitor scan record inspect plot convert decode rehearse name advertise web demo history calibrate museum service site gateway proxy doctor)'
}

_beaconctl_config_edit() {
  _arguments -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_config_path() {
  _arguments -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_config_check() {
  _arguments -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:A configuration file, JSON5:_files'
}

_beaconctl_config_show() {
  _arguments -s -S \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set)]:table|json:(table json)' \
    '(--regions)--regions[List only the regions with separate settings, for the completion of --region]' \
    '(--beacons)--beacons[List only the names of beacons, for the completion of --beacon]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_config_list() {
  _arguments -s -S \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set)]:table|json:(table json)' \
    '(--keys)--keys[List only the keys, for the completion of --set]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_config() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'list:List every constant with its unit, default and reason'
        'show:Show the value of every constant and its origin'
        'check:Check a configuration file; exit code 2 if it is wrong'
        'path:Print the path of the account'\''s configuration file'
        'edit:Edit the account'\''s configuration file, then check it'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        list) _beaconctl_config_list ;;
        show) _beaconctl_config_show ;;
        check) _beaconctl_config_check ;;
        path) _beaconctl_config_path ;;
        edit) _beaconctl_config_edit ;;
      esac ;;
  esac
}

_beaconctl_doctor() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set)]:table|json:(table json)' \
    '(--report)--report=[Also write everything, without addresses, into a file that you can send to others]:FILE:_files' \
    '(--force)--force[Replace existing files]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_proxy() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--speed)--speed=[Replay at this speed (default\: 1x)]:max|1x|10x: ' \
    '(--key-file)--key-file=[The first line of this file is the key\: 32 bytes in Base64, as '\''openssl rand -base64 32'\'' writes them]:FILE:_files' \
    '(--insecure)--insecure[Serve everybody in the network, without encryption]' \
    '(--listen)--listen=[Listen there (default\: every address, port 6053)]:ADDRESS\[\:PORT\]: ' \
    '(--name)--name=[The name of the proxy (default\: that of this machine)]:NAME: ' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_gateway() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--speed)--speed=[Replay at this speed (default\: 1x)]:max|1x|10x: ' \
    '*-s+[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--satisfying=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*-r+[Monitor this region, and give it this name]:ID=UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\''='\'' '\''beaconctl config show --regions'\''' \
    '*--region=[Monitor this region, and give it this name]:ID=UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\''='\'' '\''beaconctl config show --regions'\''' \
    '(--state)--state=[Keep the regions'\'' states in this folder for the next run; a live run always keeps them]:DIR:_files' \
    '(--broker)--broker=[Send to this MQTT broker; mqtts encrypts]:mqtt\[s\]\://HOST\[\:PORT\]: ' \
    '(--site)--site=[The name of the site, which its gateways have in common (default\: home)]:NAME: ' \
    '(--gateway)--gateway=[The name of this gateway; no other one of the site may have it (default\: the machine'\''s name)]:NAME: ' \
    '(--spool)--spool=[Keep messages here while there is no broker (default\: $STATE_DIRECTORY/gateway-GATEWAY@SITE; without that variable, this folder in the state of this account)]:DIR:_files' \
    '(--home-assistant)--home-assistant[Tell Home Assistant of the gateway, its regions and its beacons]' \
    '(--espresense)--espresense[Also send distances as ESPresense nodes do]' \
    '(--model)--model=[Send the places of beacons by this model of the site, which '\''site survey'\'' wrote]:MODEL:_files' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_site_health() {
  _arguments -s -S \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*-s+[Beacons that satisfy this identity constraint belong to the fleet]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[Beacons that satisfy this identity constraint belong to the fleet]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--satisfying=[Beacons that satisfy this identity constraint belong to the fleet]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '(--plan)--plan=[The beacons of this museum plan belong to the fleet]:FILE:_files' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--all)--all[Show also what is no longer wrong]' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set)]:table|json:(table json)' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_site_fuse() {
  _arguments -s -S \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--model)--model=[The model of the site, which '\''site survey'\'' wrote]:MODEL:_files' \
    '*-s+[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--satisfying=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '(--format)--format=[Output format\: table, a row for each change, on a terminal; else jsonl, a line for each second]:table|jsonl:(table jsonl)' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_site_survey() {
  _arguments -s -S \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--truth=[Where the beacon was\: CSV with start,end,name; one for all captures, or one for each --from]:FILE.csv:_files' \
    '*-s+[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--satisfying=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '(--live)--live[Learn while you carry the beacon\: write the name of each place on standard input when you are in it]' \
    '(--stay)--stay=[How long to stay in each place (default\: 60)]:SECONDS: ' \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '(--write)--write=[Write the model to this file; - is standard output]:MODEL:_files' \
    '(--force)--force[Replace existing files]' \
    '(--undo)--undo=[Bring back the model that a survey replaced in this file, and keep the present one; again for the other way]:MODEL:_files' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_site() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'survey:Learn the places of a site from several receivers'
        'fuse:Find in which place a beacon is, from several receivers'
        'health:Find what is wrong with your beacons and receivers'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        survey) _beaconctl_site_survey ;;
        fuse) _beaconctl_site_fuse ;;
        health) _beaconctl_site_health ;;
      esac ;;
  esac
}

_beaconctl_auth_forget() {
  _arguments -s -S \
    '(--client)--client=[The client]:ID: ' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set); jsonl is one object per client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_auth_reset() {
  _arguments -s -S \
    '(--client)--client=[The client]:ID: ' \
    '(--account)--account[The grants of this account'\''s own programs, also while the service runs]' \
    '(--bus)--bus=[The bus of the machine, or of this login (default\: system)]:system|session:(system session)' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set); jsonl is one object per client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_auth_services() {
  _arguments -s -S \
    '(--machine)--machine[Switch for every account of this machine; needs root]' \
    '(--account)--account[The grants of this account'\''s own programs, also while the service runs]' \
    '(--bus)--bus=[The bus of the machine, or of this login (default\: system)]:system|session:(system session)' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set); jsonl is one object per client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:Whether it is on:(on off)'
}

_beaconctl_auth_precise() {
  _arguments -s -S \
    '(--client)--client=[The client]:ID: ' \
    '(--account)--account[The grants of this account'\''s own programs, also while the service runs]' \
    '(--bus)--bus=[The bus of the machine, or of this login (default\: system)]:system|session:(system session)' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set); jsonl is one object per client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:Whether it is on:(on off)'
}

_beaconctl_auth_set() {
  _arguments -s -S \
    '(--client)--client=[The client]:ID: ' \
    '(--account)--account[The grants of this account'\''s own programs, also while the service runs]' \
    '(--bus)--bus=[The bus of the machine, or of this login (default\: system)]:system|session:(system session)' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set); jsonl is one object per client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:notDetermined (asks again), denied, whenInUse, always, or restricted (by policy):(notDetermined denied whenInUse always restricted)'
}

_beaconctl_auth_status() {
  _arguments -s -S \
    '(--client)--client=[The client]:ID: ' \
    '(--account)--account[The grants of this account'\''s own programs, also while the service runs]' \
    '(--bus)--bus=[The bus of the machine, or of this login (default\: system)]:system|session:(system session)' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set); jsonl is one object per client]:table|json|jsonl:(table json jsonl)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_auth() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'status:Show the permissions of a client, or of all clients'
        'set:Grant or deny authorization, in place of the user'
        'precise:Switch full accuracy on or off'
        'services:Switch location services on or off for every client'
        'reset:Forget the permissions of a client'
        'forget:Remove everything that is kept of a client, also its name'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        status) _beaconctl_auth_status ;;
        set) _beaconctl_auth_set ;;
        precise) _beaconctl_auth_precise ;;
        services) _beaconctl_auth_services ;;
        reset) _beaconctl_auth_reset ;;
        forget) _beaconctl_auth_forget ;;
      esac ;;
  esac
}

_beaconctl_service_status() {
  _arguments -s -S \
    '(--bus)--bus=[The bus of the machine, or of this login (default\: system)]:system|session:(system session)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_service_agent() {
  _arguments -s -S \
    '(--bus)--bus=[The bus of the machine, or of this login (default\: system)]:system|session:(system session)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_service_run() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--speed)--speed=[Replay at this speed (default\: 1x)]:max|1x|10x: ' \
    '(--bus)--bus=[The bus of the machine, or of this login (default\: system)]:system|session:(system session)' \
    '(--state)--state=[Keep clients, grants and states in this folder (default\: $STATE_DIRECTORY; without it /var/lib/beacons/service, or on the session bus the folder '\''service'\'' of this account'\''s state)]:DIR:_files' \
    '(--grants)--grants=[Use the grants in this folder (default\: /etc/beacons/grants.d; none on the session bus)]:DIR:_files' \
    '(--log)--log=[Show messages of this level and graver ones (default\: notice)]:error|warning|notice|info:(error warning notice info)' \
    '(--record)--record=[Record what is received, what users do, and what each client asks for]:FILE:_files' \
    '(--rotate)--rotate=[Start a new file after this size or time, such as 10M or 1h; the old one becomes FILE.1]:SIZE|TIME: ' \
    '(--keep)--keep=[Keep this many older files (default\: 4)]:N: ' \
    '(--mode)--mode=[Give a new recording these permissions (default\: 600, only you)]:MODE: ' \
    '(--force)--force[Replace existing files]' \
    '(--include-addresses)--include-addresses[Include device addresses, which are otherwise left out]' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_service() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'run:Serve other programs over D-Bus'
        'agent:Ask at this terminal what programs may know, for the service'
        'status:Show the clients of the service'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        run) _beaconctl_service_run ;;
        agent) _beaconctl_service_agent ;;
        status) _beaconctl_service_status ;;
      esac ;;
  esac
}

_beaconctl_museum_plan_edit() {
  _arguments -s -S \
    '(--port)--port=[Serve on this port, 0 for any free one (default\: 8081)]:PORT: ' \
    '(--live)--live[Receive beacons, so that the page can tell which one is in front of you]' \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--speed)--speed=[Replay at this speed (default\: 1x)]:max|1x|10x: ' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:A museum plan, JSON5; a missing one is written:_files'
}

_beaconctl_museum_plan_show() {
  _arguments -s -S \
    '(--language)--language=[Show names in this language of the plan (default\: its first)]:TAG: ' \
    '(--svg)--svg=[Write the drawing to this file as SVG instead; - is standard output]:OUT:_files' \
    '(--labels)--labels=[Write a page to print\: each exhibit'\''s number and title in all languages, and its beacon]:OUT:_files' \
    '(--force)--force[Replace existing files]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:A museum plan, JSON5:_files'
}

_beaconctl_museum_plan_check() {
  _arguments -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:A museum plan, JSON5:_files'
}

_beaconctl_museum_plan_new() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*-s+[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--satisfying=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '(--force)--force[Replace existing files]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1::The plan to write (default\: standard output):_files'
}

_beaconctl_museum_plan() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'new:Make a museum plan from a walk'
        'check:Check a museum plan; exit code 2 if it is wrong'
        'show:Draw a museum plan'
        'edit:Draw rooms and place beacons of a museum plan in a browser'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        new) _beaconctl_museum_plan_new ;;
        check) _beaconctl_museum_plan_check ;;
        show) _beaconctl_museum_plan_show ;;
        edit) _beaconctl_museum_plan_edit ;;
      esac ;;
  esac
}

_beaconctl_museum_doctor() {
  _arguments -s -S \
    '(--plan)--plan=[The museum plan]:FILE:_files' \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set)]:table|json:(table json)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_museum_report() {
  _arguments -s -S \
    '(--plan)--plan=[The museum plan]:FILE:_files' \
    '(--language)--language=[Show names in this language of the plan (default\: its first)]:TAG: ' \
    '(--small-cells)--small-cells[Also show figures about few visitors; for one visit everything is shown]' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--html)--html=[Write the report to this page]:FILE:_files' \
    '(--csv)--csv=[Write the table of exhibits to this file, comma-separated]:FILE:_files' \
    '(--format)--format=[Print the figures of the exhibits so\: table on a terminal, else jsonl; none prints nothing]:table|jsonl|csv|none:(table jsonl csv none)' \
    '(--force)--force[Replace existing files]' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '*:A recording of one visit, of any format:_files'
}

_beaconctl_museum_simulate() {
  _arguments -s -S \
    '(--plan)--plan=[The museum plan]:FILE:_files' \
    '(--seed)--seed=[The seed (default\: 1)]:SEED: ' \
    '(--visitors)--visitors=[Simulate this many visitors in a day (default\: 1)]:N: ' \
    '(--truth)--truth=[Write the true positions to this file, ten times a second, as JSON Lines]:FILE:_files' \
    '(--delivered)--delivered=[The share of strong packets that are received (default\: 0.77)]:SHARE: ' \
    '(--bystanders)--bystanders=[Other people per square meter (default\: 0)]:N: ' \
    '(--listen)--listen=[Let the receiver listen for this long at a time (default\: always)]:TIME: ' \
    '(--pause)--pause=[Let the receiver pause for this long in between]:TIME: ' \
    '(--stale-rssi)--stale-rssi[Report RSSI as BlueZ without an RSSI filter\: only changes of 8 dB and more]' \
    '(--to)--to=[Write this format (default\: by the extension of OUT)]:btsnoop|pcap|jsonl:(btsnoop pcap jsonl)' \
    '(--force)--force[Replace existing files]' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:The capture to write; with several visitors, each file name gets a number:_files'
}

_beaconctl_museum_serve() {
  _arguments -s -S \
    '(--plan)--plan=[The museum plan]:FILE:_files' \
    '(--language)--language=[Show names in this language of the plan (default\: its first)]:TAG: ' \
    '(--port)--port=[Serve on this port, 0 for any free one (default\: 8080)]:PORT: ' \
    '(--public)--public[Let everybody who can reach this machine open the pages (default\: only this machine)]' \
    '(--once)--once[End with the capture or the simulated visit instead of serving its end]' \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--simulate)--simulate=[Guide a simulated visitor; the same seed gives the same visit]:SEED: ' \
    '(--speed)--speed=[Play at this speed (default\: 1x)]:max|1x|10x: ' \
    '(--client)--client=[Run as this client (default\: the operator, without limits; for the guide, museum-guide)]:ID: ' \
    '(--manifest)--manifest=[Read the client'\''s purpose texts and capabilities from this manifest]:FILE:_files' \
    '(--answers)--answers=[Read a user'\''s answers from this file, written as in scenario files]:FILE:_files' \
    '(--record)--record=[Record what this run receives; a live run continues a recording that exists]:FILE:_files' \
    '(--mode)--mode=[Give a new recording these permissions (default\: 600, only you)]:MODE: ' \
    '(--include-addresses)--include-addresses[Include device addresses, which are otherwise left out]' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--force)--force[Replace existing files]' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_museum_guide() {
  _arguments -s -S \
    '(--plan)--plan=[The museum plan]:FILE:_files' \
    '(--language)--language=[Show names in this language of the plan (default\: its first)]:TAG: ' \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--simulate)--simulate=[Guide a simulated visitor; the same seed gives the same visit]:SEED: ' \
    '(--speed)--speed=[Play at this speed (default\: 1x on a screen, else max)]:max|1x|10x: ' \
    '(--client)--client=[Run as this client (default\: the operator, without limits; for the guide, museum-guide)]:ID: ' \
    '(--manifest)--manifest=[Read the client'\''s purpose texts and capabilities from this manifest]:FILE:_files' \
    '(--answers)--answers=[Read a user'\''s answers from this file, written as in scenario files]:FILE:_files' \
    '(--record)--record=[Record what this run receives; a live run continues a recording that exists]:FILE:_files' \
    '(--mode)--mode=[Give a new recording these permissions (default\: 600, only you)]:MODE: ' \
    '(--include-addresses)--include-addresses[Include device addresses, which are otherwise left out]' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table writes sentences (default\: a screen on a terminal, else jsonl)]:table|jsonl|none:(table jsonl none)' \
    '(--force)--force[Replace existing files]' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_museum() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'guide:Guide a visitor through a museum'
        'serve:Serve the guide and an operator'\''s view as web pages'
        'simulate:Simulate visits\: captures and their true positions'
        'report:Make a report of visits from their recordings'
        'doctor:Find missing, weak and swapped beacons on a walk through the museum'
        'plan:Make, check and draw museum plans'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        guide) _beaconctl_museum_guide ;;
        serve) _beaconctl_museum_serve ;;
        simulate) _beaconctl_museum_simulate ;;
        report) _beaconctl_museum_report ;;
        doctor) _beaconctl_museum_doctor ;;
        plan) _beaconctl_museum_plan ;;
      esac ;;
  esac
}

_beaconctl_calibrate_sweep() {
  _arguments -s -S \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*-s+[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--satisfying=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--try=[Compare this set of constants ('\''config list'\'' has them); without it, a dozen usual ones]:KEY=VALUE\[,...\]: ' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table on a terminal, else jsonl, a line for each set]:table|jsonl:(table jsonl)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_calibrate_measure() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*-b+[The beacon, as UUID/MAJOR/MINOR or by its name; several with --receiver, each with its --at]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[The beacon, as UUID/MAJOR/MINOR or by its name; several with --receiver, each with its --at]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--at=[The distance from the beacon to the receiver (default\: 1m); one for all captures, or one for each]:DISTANCE: ' \
    '(--receiver)--receiver=[Measure this receiver'\''s RSSI offset, from beacons whose power is known]:NAME|all: ' \
    '(--samples)--samples=[Collect this many samples at each distance, live (default\: 100)]:N: ' \
    '(--for)--for=[Wait this long for them, live (default\: 2m)]:TIME: ' \
    '(--write)--write=[Write the result into this configuration file and leave the rest of it unchanged]:FILE:_files' \
    '(--zone)--zone[Put the limit between near and far midway between two levels, also in place of the file'\''s own]' \
    '(--keep-zone)--keep-zone[Leave the limit between near and far as it is]' \
    '(--force)--force[Write a result that is refused, or in place of a site'\''s law of other origin]' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set)]:table|json:(table json)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_calibrate() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'measure:Measure the power of a beacon at 1 m, or of a site'
        'sweep:Compare constants on your own recordings'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        measure) _beaconctl_calibrate_measure ;;
        sweep) _beaconctl_calibrate_sweep ;;
      esac ;;
  esac
}

_beaconctl_advertise() {
  _arguments -s -S \
    '(--adapter)--adapter=[Send with this adapter (default\: the first that can)]:hci0|ADDRESS: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--power)--power=[The measured power to send\: the RSSI at 1 m, from which receivers compute distances]:DBM: ' \
    '(--for)--for=[Stop after this time]:TIME: ' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:The beacon to send: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\'''
}

_beaconctl_name() {
  _arguments -s -S \
    '(--remove)--remove[Remove the beacon'\''s name]' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1::The beacon; without one, all names are listed: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '2::Its name; without one, the name that it has is shown: '
}

_beaconctl_history_purge() {
  _arguments -s -S \
    '(--history)--history=[The folder of the history (default\: /var/lib/beacons/history)]:FOLDER:_files' \
    '(--before)--before=[Remove everything before this time\: a date, a time, or 30d for thirty days ago]:TIME: ' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_history_notices() {
  _arguments -s -S \
    '(--history)--history=[The folder of the history (default\: /var/lib/beacons/history)]:FOLDER:_files' \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table on a terminal, else jsonl]:table|jsonl|csv:(table jsonl csv)' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_history_receivers() {
  _arguments -s -S \
    '(--history)--history=[The folder of the history (default\: /var/lib/beacons/history)]:FOLDER:_files' \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table on a terminal, else jsonl]:table|jsonl|csv:(table jsonl csv)' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_history_places() {
  _arguments -s -S \
    '(--history)--history=[The folder of the history (default\: /var/lib/beacons/history)]:FOLDER:_files' \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table on a terminal, else jsonl]:table|jsonl|csv:(table jsonl csv)' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_history_minutes() {
  _arguments -s -S \
    '(--history)--history=[The folder of the history (default\: /var/lib/beacons/history)]:FOLDER:_files' \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table on a terminal, else jsonl]:table|jsonl|csv:(table jsonl csv)' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_history_crossings() {
  _arguments -s -S \
    '(--history)--history=[The folder of the history (default\: /var/lib/beacons/history)]:FOLDER:_files' \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '(-r --region)-r+[Show only this region]:NAME: ' \
    '(-r --region)--region=[Show only this region]:NAME: ' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table on a terminal, else jsonl]:table|jsonl|csv:(table jsonl csv)' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_history_visits() {
  _arguments -s -S \
    '(--history)--history=[The folder of the history (default\: /var/lib/beacons/history)]:FOLDER:_files' \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '(-r --region)-r+[Show only this region]:NAME: ' \
    '(-r --region)--region=[Show only this region]:NAME: ' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table on a terminal, else jsonl]:table|jsonl|csv:(table jsonl csv)' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_history() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'visits:List the stays in regions'
        'crossings:List when regions were entered and left'
        'minutes:List each minute of each listed beacon at each receiver'
        'places:List in which place of the site each listed beacon was'
        'receivers:List when receivers could receive, and when not'
        'notices:List the conditions of the source and of requests'
        'purge:Remove the history before a time, for good'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        visits) _beaconctl_history_visits ;;
        crossings) _beaconctl_history_crossings ;;
        minutes) _beaconctl_history_minutes ;;
        places) _beaconctl_history_places ;;
        receivers) _beaconctl_history_receivers ;;
        notices) _beaconctl_history_notices ;;
        purge) _beaconctl_history_purge ;;
      esac ;;
  esac
}

_beaconctl_rehearse() {
  _arguments -s -S \
    '(--format)--format=[Output format\: table, or json with one object per line]:table|json:(table json)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '*:A scenario file, JSON5:_files'
}

_beaconctl_decode() {
  _arguments -s -S \
    '(--as)--as=[The kind of the bytes\: advertising data (default), manufacturer data with its company, or an HCI packet]:ad|manufacturer|hci:(ad manufacturer hci)' \
    '(--format)--format=[Output format\: table on a terminal, else jsonl]:table|jsonl:(table jsonl)' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:Bytes in hexadecimal; - reads one string per line from standard input: '
}

_beaconctl_convert() {
  _arguments -s -S \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '(--to)--to=[Write this format (default\: by the extension of OUT)]:btsnoop|pcap|jsonl:(btsnoop pcap jsonl)' \
    '(--force)--force[Replace existing files]' \
    '(--include-addresses)--include-addresses[Include device addresses, which are otherwise left out]' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:The capture to read; - is standard input:_files' \
    '2:The capture to write; - is standard output, with --to:_files'
}

_beaconctl_plot() {
  _arguments -s -S \
    '*-r+[Draw this region, and give it this name]:ID=UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\''='\'' '\''beaconctl config show --regions'\''' \
    '*--region=[Draw this region, and give it this name]:ID=UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\''='\'' '\''beaconctl config show --regions'\''' \
    '*-s+[Draw the beacons that satisfy this constraint]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[Draw the beacons that satisfy this constraint]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--satisfying=[Draw the beacons that satisfy this constraint]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '(--drain)--drain[Continue after the end of a capture until every region has settled]' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(-o --output)-o+[Write the picture to this file, .svg or .html (default\: SVG to standard output)]:FILE:_files' \
    '(-o --output)--output=[Write the picture to this file, .svg or .html (default\: SVG to standard output)]:FILE:_files' \
    '(--force)--force[Replace existing files]' \
    '(--time)--time=[How to show times]:local|utc:(local utc)' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '*:A capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged:_files'
}

_beaconctl_inspect() {
  _arguments -s -S \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format (default\: table; into a pipe, that of '\''output.piped'\'' if set)]:table|json:(table json)' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:A capture of any format; - is standard input:_files'
}

_beaconctl_record() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '(--rotate)--rotate=[Start a new file after this size or time, such as 10M or 1h; the old one becomes FILE.1]:SIZE|TIME: ' \
    '(--keep)--keep=[Keep this many older files (default\: 4)]:N: ' \
    '(--mode)--mode=[Give a new file these permissions (default\: 600, only you)]:MODE: ' \
    '(--force)--force[Replace existing files]' \
    '(--include-addresses)--include-addresses[Include device addresses, which are otherwise left out]' \
    '(--history)--history=[Keep a history of this run in this folder\: crossings, stays, minutes of listed beacons, receivers]:FOLDER:_files' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:The recording to write or continue; .btsnoop and .pcap keep only reports, every other name is JSON Lines:_files'
}

_beaconctl_demo() {
  _arguments -s -S \
    '(--speed)--speed=[Play at this speed (default\: 12x)]:max|1x|10x: ' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_web() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--speed)--speed=[Replay at this speed (default\: 1x)]:max|1x|10x: ' \
    '*-s+[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--satisfying=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*-r+[Monitor this region, and give it this name]:ID=UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\''='\'' '\''beaconctl config show --regions'\''' \
    '*--region=[Monitor this region, and give it this name]:ID=UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\''='\'' '\''beaconctl config show --regions'\''' \
    '(--state)--state=[Keep the regions'\'' states in this folder for the next run; a live run always keeps them]:DIR:_files' \
    '*--place=[Enter a region when one of its beacons comes to this place; needs --model, or a recording with places]:NAME: ' \
    '(--model)--model=[Find out in which place each listed beacon is with this model of the site, which '\''site survey'\'' wrote]:MODEL:_files' \
    '*--plan=[Draw this museum plan, with the reception of its beacons]:FILE:_files' \
    '(--past)--past=[Show also the history that another run keeps in this folder (default\: that of --history)]:FOLDER:_files' \
    '(--port)--port=[Serve on this port, 0 for any free one (default\: 9743)]:PORT: ' \
    '(--public)--public[Let everybody who can reach this machine read it (default\: only this machine)]' \
    '(--once)--once[End with the capture instead of serving its end]' \
    '(--survey)--survey=[Learn places on the page while you carry the beacon that --beacon names, and write them to this model]:MODEL:_files' \
    '(--history)--history=[Keep a history of this run in this folder\: crossings, stays, minutes of listed beacons, receivers]:FOLDER:_files' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_scan() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--speed)--speed=[Replay at this speed (default\: max)]:max|1x|10x: ' \
    '(--drain)--drain[Continue after the end of a capture until every region has settled]' \
    '(--plan)--plan=[Use a museum plan\: its beacons'\'' names and powers, and the rooms that --simulate walks through]:FILE:_files' \
    '(--simulate)--simulate=[Simulate a visitor of the plan, or of the demo'\''s, the same for the same seed]:SEED: ' \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '*-s+[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--satisfying=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '(--record)--record=[Record what this run receives; a live run continues a recording that exists]:FILE:_files' \
    '(--mode)--mode=[Give a new recording these permissions (default\: 600, only you)]:MODE: ' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table on a terminal (range\: a full-screen view), else jsonl; none prints nothing]:table|json|jsonl|csv|none:(table json jsonl csv none)' \
    '*-o+[Also write to this file\: .csv, .json or .jsonl, or FORMAT\:FILE]:FILE: _beaconctl_file_after table json jsonl csv' \
    '*--output=[Also write to this file\: .csv, .json or .jsonl, or FORMAT\:FILE]:FILE: _beaconctl_file_after table json jsonl csv' \
    '(--force)--force[Replace existing files]' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(--include-addresses)--include-addresses[Include device addresses, which are otherwise left out]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_monitor() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--speed)--speed=[Replay at this speed (default\: max)]:max|1x|10x: ' \
    '(--drain)--drain[Continue after the end of a capture until every region has settled]' \
    '(--plan)--plan=[Use a museum plan\: its beacons'\'' names and powers, and the rooms that --simulate walks through]:FILE:_files' \
    '(--simulate)--simulate=[Simulate a visitor of the plan, or of the demo'\''s, the same for the same seed]:SEED: ' \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '*-r+[Monitor this region, and give it this name]:ID=UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\''='\'' '\''beaconctl config show --regions'\''' \
    '*--region=[Monitor this region, and give it this name]:ID=UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\''='\'' '\''beaconctl config show --regions'\''' \
    '(--state)--state=[Keep the regions'\'' states in this folder for the next run; a live run always keeps them]:DIR:_files' \
    '*--place=[Enter a region when one of its beacons comes to this place; needs --model, or a recording with places]:NAME: ' \
    '(--model)--model=[Find out places with this model of the site, which '\''site survey'\'' wrote]:MODEL:_files' \
    '(--client)--client=[Run as this client (default\: the operator, without limits; for the guide, museum-guide)]:ID: ' \
    '(--manifest)--manifest=[Read the client'\''s purpose texts and capabilities from this manifest]:FILE:_files' \
    '(--answers)--answers=[Read a user'\''s answers from this file, written as in scenario files]:FILE:_files' \
    '(--ask)--ask=[The client'\''s request (default\: whenInUse; for monitor under coreLocation12 always)]:whenInUse|always:(whenInUse always)' \
    '(--direct)--direct[Do not use the service of this machine\: a client'\''s run receives by itself]' \
    '(--record)--record=[Record what this run receives; a live run continues a recording that exists]:FILE:_files' \
    '(--include-addresses)--include-addresses[Include device addresses, which are otherwise left out]' \
    '(--history)--history=[Keep a history of this run in this folder\: crossings, stays, minutes of listed beacons, receivers]:FOLDER:_files' \
    '(--why)--why[Show in a table the whole explanation of each crossing]' \
    '(--exec)--exec=[Run this shell command for each crossing; BEACONS_EVENT and other variables describe it]:CMD: ' \
    '(--notify)--notify[Show a desktop notification of each crossing]' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table on a terminal (range\: a full-screen view), else jsonl; none prints nothing]:table|json|jsonl|csv|none:(table json jsonl csv none)' \
    '*-o+[Also write to this file\: .csv, .json or .jsonl, or FORMAT\:FILE]:FILE: _beaconctl_file_after table json jsonl csv' \
    '*--output=[Also write to this file\: .csv, .json or .jsonl, or FORMAT\:FILE]:FILE: _beaconctl_file_after table json jsonl csv' \
    '(--force)--force[Replace existing files]' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl_range() {
  _arguments -s -S \
    '(--adapter)--adapter=[Listen live on this adapter; without a source, on every powered adapter]:hci0|ADDRESS|all: _beaconctl_words '\'''\'' '\''ls /sys/class/bluetooth'\''' \
    '(--via)--via=[How to receive reports; kernel, which needs CAP_NET_RAW, if permitted]:dbus|kernel:(dbus kernel)' \
    '*-f+[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '*--from=[Replay a capture of any format; - is standard input; several, or '\''air.jsonl*'\'', are merged]:FILE:_files' \
    '(--speed)--speed=[Replay at this speed (default\: max)]:max|1x|10x: ' \
    '(--drain)--drain[Continue after the end of a capture until every region has settled]' \
    '(--plan)--plan=[Use a museum plan\: its beacons'\'' names and powers, and the rooms that --simulate walks through]:FILE:_files' \
    '(--simulate)--simulate=[Simulate a visitor of the plan, or of the demo'\''s, the same for the same seed]:SEED: ' \
    '(--since)--since=[Leave out everything before this time\: 10\:00, '\''2026-05-02 10\:00\:10'\'', '\''yesterday 14\:00'\'', or 2h for two hours ago]:TIME: ' \
    '(--until)--until=[Leave out everything at this time or later]:TIME: ' \
    '*-s+[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--beacon=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*--satisfying=[Only beacons that satisfy this identity constraint, or the beacon of this name]:UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\'''\'' '\''beaconctl config show --beacons'\''' \
    '*-r+[Monitor this region, and give it this name]:ID=UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\''='\'' '\''beaconctl config show --regions'\''' \
    '*--region=[Monitor this region, and give it this name]:ID=UUID\[/MAJOR\[/MINOR\]\]: _beaconctl_words '\''='\'' '\''beaconctl config show --regions'\''' \
    '(--while-inside)--while-inside=[Range only while inside that region]:ID: ' \
    '(--state)--state=[Keep the regions'\'' states in this folder for the next run; a live run always keeps them]:DIR:_files' \
    '(--client)--client=[Run as this client (default\: the operator, without limits; for the guide, museum-guide)]:ID: ' \
    '(--manifest)--manifest=[Read the client'\''s purpose texts and capabilities from this manifest]:FILE:_files' \
    '(--answers)--answers=[Read a user'\''s answers from this file, written as in scenario files]:FILE:_files' \
    '(--ask)--ask=[The client'\''s request (default\: whenInUse; for monitor under coreLocation12 always)]:whenInUse|always:(whenInUse always)' \
    '(--direct)--direct[Do not use the service of this machine\: a client'\''s run receives by itself]' \
    '(--record)--record=[Record what this run receives; a live run continues a recording that exists]:FILE:_files' \
    '(--include-addresses)--include-addresses[Include device addresses, which are otherwise left out]' \
    '(--history)--history=[Keep a history of this run in this folder\: crossings, stays, minutes of listed beacons, receivers]:FOLDER:_files' \
    '(--profile)--profile=[Start from this set of constants]:NAME:(default coreLocation14 coreLocation13.4 coreLocation13.0 coreLocation12)' \
    '*--set=[Set one constant, by its key from '\''config list'\'']:KEY=VALUE: _beaconctl_words '\''='\'' '\''beaconctl config list --keys'\''' \
    '(--config)--config=[A configuration file, JSON5, read after those of '\''config path'\''; none reads no file]:FILE|none:_files' \
    '(--format)--format=[Output format\: table on a terminal (range\: a full-screen view), else jsonl; none prints nothing]:table|json|jsonl|csv|none:(table json jsonl csv none)' \
    '*-o+[Also write to this file\: .csv, .json or .jsonl, or FORMAT\:FILE]:FILE: _beaconctl_file_after table json jsonl csv' \
    '*--output=[Also write to this file\: .csv, .json or .jsonl, or FORMAT\:FILE]:FILE: _beaconctl_file_after table json jsonl csv' \
    '(--force)--force[Replace existing files]' \
    '(--time)--time=[How to show times in a table]:local|utc|iso|relative|none:(local utc iso relative none)' \
    '(--summary)--summary[Write a JSON summary of the run to standard error at its end]' \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)'
}

_beaconctl() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C -s -S \
    '(-h --help)-h[Show this help]' \
    '(-h --help)--help[Show this help]' \
    '(-V --version)-V[Show the version of beaconctl]' \
    '(-V --version)--version[Show the version of beaconctl]' \
    '*-v[Describe the source on standard error]' \
    '*--verbose[Describe the source on standard error]' \
    '(-q --quiet)-q[Write only errors to standard error]' \
    '(-q --quiet)--quiet[Write only errors to standard error]' \
    '(--color)--color=[When to use color; auto is on a terminal]:auto|always|never:(auto always never)' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
        'range:Show which beacons are near, once a second'
        'monitor:Report when regions are entered and left'
        'scan:Show every received iBeacon report'
        'web:Serve a page of everything nearby, and metrics for Prometheus'
        'demo:Show all of it with a simulated visitor\: no file, no radio'
        'record:Record advertising reports'
        'inspect:Summarize a capture'
        'plot:Draw the signal, the silences and the crossings of a capture'
        'convert:Convert a capture to another format, or cut a span out of it'
        'decode:Decode bytes as an iBeacon, or explain why they are not one'
        'rehearse:Test scenario files\: inputs on a timeline and expected events'
        'history:Show and remove the history that runs keep'
        'name:Give a beacon a name, which every table, view and line then shows'
        'advertise:Send an iBeacon with an adapter'
        'calibrate:Measure the power of a beacon at 1 m, or of a site'
        'museum:Guide visitors, and make museum plans and reports'
        'service:Serve other programs over D-Bus, and show its clients'
        'auth:Show and change the permissions of clients'
        'site:Learn places, find beacons in them, and find what is wrong'
        'gateway:Send what is received to an MQTT broker'
        'proxy:Be a Bluetooth proxy for Home Assistant'
        'doctor:Find faults of Bluetooth on this machine, and how to fix them'
        'config:Show, check and edit the configuration'
        'help:Show what there is to do, or how a command is used'
        'completion:Print the completion script of a shell'
        'manual:Print a manual page, for man'
      )
      _describe command commands ;;
    argument)
      case $line[1] in
        range) _beaconctl_range ;;
        monitor) _beaconctl_monitor ;;
        scan) _beaconctl_scan ;;
        web) _beaconctl_web ;;
        demo) _beaconctl_demo ;;
        record) _beaconctl_record ;;
        inspect) _beaconctl_inspect ;;
        plot) _beaconctl_plot ;;
        convert) _beaconctl_convert ;;
        decode) _beaconctl_decode ;;
        rehearse) _beaconctl_rehearse ;;
        history) _beaconctl_history ;;
        name) _beaconctl_name ;;
        advertise) _beaconctl_advertise ;;
        calibrate) _beaconctl_calibrate ;;
        museum) _beaconctl_museum ;;
        service) _beaconctl_service ;;
        auth) _beaconctl_auth ;;
        site) _beaconctl_site ;;
        gateway) _beaconctl_gateway ;;
        proxy) _beaconctl_proxy ;;
        doctor) _beaconctl_doctor ;;
        config) _beaconctl_config ;;
        help) _beaconctl_help ;;
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
