#include "ctl/commands/completion.h"

#include <string_view>

#include "ctl/help.h"

namespace svc::ctl {
namespace {

constexpr std::string_view kOpening =
    "# Completion of svcctl for bash; printed by: svcctl completion bash\n";

// Bash splits words at =, so `--flag=value` is three words.
constexpr std::string_view kFunction = R"bash(
_svcctl_offer() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}

_svcctl_offer_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

# What a flag or an operand takes: "file", "command", "one of" choices, or nothing that is known.
_svcctl_offer_value() {
  case $1 in
    file) _svcctl_offer_files ;;
    command)
      if ((operands == 0)); then
        _svcctl_offer "$_svcctl_groups"
      elif ((operands == 1)); then
        _svcctl_offer "$(_svcctl_names "$operand")"
      fi
      ;;
    "one of "*) _svcctl_offer "${1#one of }" ;;
  esac
}

_svcctl() {
  local word=${COMP_WORDS[COMP_CWORD]} i=1 operands=0 group="" command="" flag="" operand=""
  COMPREPLY=()
  [[ $word != = ]] || word=
  # Settings come first, each with a value.
  while ((i < COMP_CWORD)); do
    case ${COMP_WORDS[i]} in
      -h | --help | --help-settings | --version | --check-config | --print-config) ((i += 1)) ;;
      -*)
        flag=${COMP_WORDS[i]}
        ((i += 1))
        [[ ${COMP_WORDS[i]} != = ]] || ((i += 1))
        if ((i >= COMP_CWORD)); then
          case $flag in -c | --config | *-file) _svcctl_offer_files ;; esac
          return
        fi
        ((i += 1))
        ;;
      *) break ;;
    esac
  done
  if ((i == COMP_CWORD)); then
    case $word in
      -*) _svcctl_offer "$_svcctl_settings" ;;
      *) _svcctl_offer "$_svcctl_groups" ;;
    esac
    return
  fi
  group=${COMP_WORDS[i]} command=$group
  ((i += 1))
  if [[ -n $(_svcctl_names "$group") ]]; then
    if ((i == COMP_CWORD)); then
      _svcctl_offer "$(_svcctl_names "$group")"
      return
    fi
    command+=" ${COMP_WORDS[i]}"
    ((i += 1))
  fi
  # Which flag or operand the word belongs to.
  while ((i < COMP_CWORD)); do
    flag=${COMP_WORDS[i]}
    ((i += 1))
    case $flag in
      -*)
        if [[ -n $(_svcctl_takes "$command" "$flag") ]]; then
          [[ ${COMP_WORDS[i]} != = ]] || ((i += 1))
          if ((i >= COMP_CWORD)); then
            _svcctl_offer_value "$(_svcctl_takes "$command" "$flag")"
            return
          fi
          ((i += 1))
        fi
        ;;
      *)
        operand=$flag
        ((operands += 1))
        ;;
    esac
  done
  case $word in
    -*) _svcctl_offer "$(_svcctl_flags "$command")" ;;
    *) _svcctl_offer_value "$(_svcctl_takes "$command" "$operands")" ;;
  esac
}

complete -F _svcctl svcctl
)bash";

// Returns the argument of _svcctl_offer_value.
std::string offer_of(const Takes& takes) {
  switch (takes.type) {
    case Takes::Type::File: return "file";
    case Takes::Type::Command: return "command";
    case Takes::Type::Text:
    case Takes::Type::Choice:
      if (!takes.choices.empty()) {
        std::string text = "one of";
        for (const std::string_view choice : takes.choices) text += " " + std::string(choice);
        return text;
      }
      return "value";
    case Takes::Type::Integer:
    case Takes::Type::Seconds: break;
  }
  return "value";
}

std::string arm(const std::string& pattern, const std::string& words) {
  return "    \"" + pattern + "\") echo \"" + words + "\" ;;\n";
}

std::string function(const std::string& name, const std::string& subject, const std::string& arms) {
  return "\n" + name + "() {\n  case " + subject + " in\n" + arms + "  esac\n}\n";
}

}  // namespace

std::string bash_completion(const Commands& all, const std::vector<std::string>& settings) {
  std::string groups;
  std::string names;
  std::string flags;
  std::string takes;
  for (const Group* group : all) {
    groups += (groups.empty() ? "" : " ") + std::string(group->name);
    std::string seconds;
    for (const std::string_view name : names_in(*group))
      seconds += (seconds.empty() ? "" : " ") + std::string(name);
    if (!seconds.empty()) names += arm(std::string(group->name), seconds);
    for (const Command& command : group->commands) {
      const std::string name(command.name);
      std::string words;
      for (const Flag& flag : all_flags(command.syntax)) {
        words += std::string(flag.name) + " ";
        if (!flag.takes.name.empty())
          takes += arm(name + " " + std::string(flag.name), offer_of(flag.takes));
      }
      flags += arm(name, words + "--help");
      for (std::size_t i = 0; i < command.syntax.operands.size(); ++i) {
        const Operand& operand = command.syntax.operands[i];
        const bool any = operand.count == Operand::Count::Any;
        takes +=
            arm(name + " " + (any ? "\"[0-9]*\"" : std::to_string(i)), offer_of(operand.takes));
      }
    }
  }
  std::string options = "--config --help --help-settings --version --check-config --print-config";
  for (const std::string& setting : settings) options += " " + setting;
  return std::string(kOpening) + "\n_svcctl_groups=\"" + groups + "\"\n_svcctl_settings=\"" +
         options + "\"\n" + function("_svcctl_names", "$1", names) +
         function("_svcctl_flags", "$1", flags) + function("_svcctl_takes", "\"$1 $2\"", takes) +
         std::string(kFunction);
}

}  // namespace svc::ctl
