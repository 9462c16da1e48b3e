// groups: the commands of svcctl about records, files and nginx.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& account_commands();
const Group& app_commands();
const Group& captions_commands();
const Group& catalog_commands();
const Group& jobs_commands();
const Group& keys_commands();
const Group& media_commands();
const Group& nginx_commands();
const Group& project_commands();
const Group& stats_commands();
const Group& token_commands();
const Group& usage_commands();
const Group& user_commands();

// These require neither a configuration nor a store.
const Group& help_commands();
const Group& version_commands();
const Group& completion_commands();

// These run the package's script svc-operate: they are about files, units and nginx.
const Group& backup_commands();
const Group& restore_commands();
const Group& setup_commands();
const Group& demo_commands();

// Commands of catalog_commands() in a file of their own.
Command load_functions_command();
Command functions_command();

// A command of account_commands() in a file of its own.
Command account_delete_command();

// Commands of media_commands() in files of their own.
Command media_add_command();
Command media_link_command();
Command media_links_command();
Command media_end_links_command();
Command media_recount_command();

}  // namespace svc::ctl
