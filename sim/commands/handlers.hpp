// The functions behind the command table, one file per family.
#pragma once

#include "sim/commands/command.hpp"

namespace lockstep::sim {

// strings.cpp
Reply run_get(Call&);
Reply run_set(Call&);
Reply run_setnx(Call&);
Reply run_setex(Call&);
Reply run_psetex(Call&);
Reply run_getset(Call&);
Reply run_getdel(Call&);
Reply run_getex(Call&);
Reply run_mget(Call&);
Reply run_mset(Call&);
Reply run_msetnx(Call&);
Reply run_append(Call&);
Reply run_strlen(Call&);
Reply run_getrange(Call&);
Reply run_setrange(Call&);

// counters.cpp
Reply run_incr(Call&);
Reply run_incrby(Call&);
Reply run_decr(Call&);
Reply run_decrby(Call&);
Reply run_incrbyfloat(Call&);

// hashes.cpp
Reply run_hset(Call&);
Reply run_hmset(Call&);
Reply run_hsetnx(Call&);
Reply run_hget(Call&);
Reply run_hmget(Call&);
Reply run_hdel(Call&);
Reply run_hexists(Call&);
Reply run_hlen(Call&);
Reply run_hstrlen(Call&);
Reply run_hkeys(Call&);
Reply run_hvals(Call&);
Reply run_hgetall(Call&);
Reply run_hincrby(Call&);
Reply run_hincrbyfloat(Call&);

// expiry.cpp
Reply run_expire(Call&);
Reply run_pexpire(Call&);
Reply run_expireat(Call&);
Reply run_pexpireat(Call&);
Reply run_ttl(Call&);
Reply run_pttl(Call&);
Reply run_expiretime(Call&);
Reply run_pexpiretime(Call&);
Reply run_persist(Call&);

// generic.cpp
Reply run_exists(Call&);
Reply run_del(Call&);
Reply run_type(Call&);
Reply run_rename(Call&);
Reply run_renamenx(Call&);
Reply run_keys(Call&);
/// The name of its type, as TYPE gives it.
std::string type_name(const Entry&);

// server.cpp
Reply run_dbsize(Call&);
Reply run_flush(Call&);
Reply run_time(Call&);
Reply run_ping(Call&);
Reply run_echo(Call&);

// scripting.cpp
Reply run_eval(Call&);
Reply run_evalsha(Call&);
Reply run_eval_ro(Call&);
Reply run_evalsha_ro(Call&);
Reply run_script(Call&);

}  // namespace lockstep::sim
