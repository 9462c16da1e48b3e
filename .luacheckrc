-- Of the functions that Redis runs (worker/stores/functions.py), which has Lua 5.1. Unused variables and arguments are errors.
std = 'lua51'
globals = {'functions'}
read_globals = {'redis'}
max_line_length = 128
