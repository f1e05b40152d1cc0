#include "tools/tool.h"

namespace sluice {

std::string_view to_text(Permission value) {
  switch (value) {
    case Permission::open: return "public";
    case Permission::moderate: return "moderate";
    case Permission::sensitive: break;
  }
  return "sensitive";
}

std::string_view to_text(ExecutionApproval value) {
  switch (value) {
    case ExecutionApproval::automatic: return "auto";
    case ExecutionApproval::ask_once: return "ask_once";
    case ExecutionApproval::ask_always: break;
  }
  return "ask_always";
}

std::string_view to_text(ResultApproval value) {
  switch (value) {
    case ResultApproval::never: return "never";
    case ResultApproval::on_error: return "on_error";
    case ResultApproval::always: break;
  }
  return "always";
}

}  // namespace sluice
