// The functions behind the command table, one file per family.
#pragma once

#include "sim/redis/commands/command.hpp"

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
Reply run_hrandfield(Call&);

// lists.cpp
Reply run_lpush(Call&);
Reply run_rpush(Call&);
Reply run_lpushx(Call&);
Reply run_rpushx(Call&);
Reply run_lpop(Call&);
Reply run_rpop(Call&);
Reply run_lmove(Call&);
Reply run_rpoplpush(Call&);
Reply run_lmpop(Call&);

// list_items.cpp
Reply run_llen(Call&);
Reply run_lindex(Call&);
Reply run_lset(Call&);
Reply run_lrange(Call&);
Reply run_ltrim(Call&);
Reply run_linsert(Call&);
Reply run_lrem(Call&);
Reply run_lpos(Call&);

// sets.cpp
Reply run_sadd(Call&);
Reply run_srem(Call&);
Reply run_smove(Call&);
Reply run_sismember(Call&);
Reply run_smismember(Call&);
Reply run_scard(Call&);
Reply run_spop(Call&);
Reply run_srandmember(Call&);

// set_algebra.cpp
Reply run_smembers(Call&);
Reply run_sinter(Call&);
Reply run_sunion(Call&);
Reply run_sdiff(Call&);
Reply run_sinterstore(Call&);
Reply run_sunionstore(Call&);
Reply run_sdiffstore(Call&);
Reply run_sintercard(Call&);

// zsets.cpp
Reply run_zadd(Call&);
Reply run_zincrby(Call&);
Reply run_zrem(Call&);
Reply run_zcard(Call&);
Reply run_zscore(Call&);
Reply run_zmscore(Call&);
Reply run_zrank(Call&);
Reply run_zrevrank(Call&);
Reply run_zpopmin(Call&);
Reply run_zpopmax(Call&);
Reply run_zmpop(Call&);
Reply run_zrandmember(Call&);

// zset_ranges.cpp
Reply run_zrange(Call&);
Reply run_zrevrange(Call&);
Reply run_zrangebyscore(Call&);
Reply run_zrevrangebyscore(Call&);
Reply run_zrangebylex(Call&);
Reply run_zrevrangebylex(Call&);
Reply run_zrangestore(Call&);
Reply run_zcount(Call&);
Reply run_zlexcount(Call&);
Reply run_zremrangebyrank(Call&);
Reply run_zremrangebyscore(Call&);
Reply run_zremrangebylex(Call&);

// zset_algebra.cpp
Reply run_zunion(Call&);
Reply run_zinter(Call&);
Reply run_zdiff(Call&);
Reply run_zunionstore(Call&);
Reply run_zinterstore(Call&);
Reply run_zdiffstore(Call&);
Reply run_zintercard(Call&);

// bits.cpp
Reply run_getbit(Call&);
Reply run_setbit(Call&);
Reply run_bitcount(Call&);
Reply run_bitpos(Call&);
Reply run_bitop(Call&);

// lcs.cpp
Reply run_lcs(Call&);

// scan.cpp
Reply run_scan(Call&);
Reply run_sscan(Call&);
Reply run_hscan(Call&);
Reply run_zscan(Call&);

// sort.cpp
Reply run_sort(Call&);
Reply run_sort_ro(Call&);

// object.cpp
Reply run_object(Call&);

// dump.cpp
Reply run_dump(Call&);
Reply run_restore(Call&);

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
Reply run_randomkey(Call&);
Reply run_copy(Call&);
/// The name of its type, as TYPE gives it.
std::string type_name(const Entry&);

// server.cpp, introspection.cpp
Reply run_time(Call&);
Reply run_role(Call&);
Reply run_info(Call&);
Reply run_config(Call&);
Reply run_cluster(Call&);
Reply run_cluster_mode(Call&);
Reply run_debug(Call&);
Reply run_command_command(Call&);

// databases.cpp
Reply run_select(Call&);
Reply run_swapdb(Call&);
Reply run_move(Call&);
Reply run_flushdb(Call&);
Reply run_flushall(Call&);
Reply run_dbsize(Call&);

// connection.cpp, clients.cpp
Reply run_auth(Call&);
Reply run_hello(Call&);
Reply run_reset(Call&);
Reply run_quit(Call&);
Reply run_ping(Call&);
Reply run_echo(Call&);
Reply run_client(Call&);

// transactions.cpp
Reply run_multi(Call&);
Reply run_exec(Call&);
Reply run_discard(Call&);
Reply run_watch(Call&);
Reply run_unwatch(Call&);

// pubsub.cpp
Reply run_subscribe(Call&);
Reply run_psubscribe(Call&);
Reply run_ssubscribe(Call&);
Reply run_unsubscribe(Call&);
Reply run_punsubscribe(Call&);
Reply run_sunsubscribe(Call&);
Reply run_publish(Call&);
Reply run_spublish(Call&);
Reply run_pubsub(Call&);

// blocking.cpp
Reply run_blpop(Call&);
Reply run_brpop(Call&);
Reply run_blmove(Call&);
Reply run_brpoplpush(Call&);
Reply run_blmpop(Call&);
Reply run_bzpopmin(Call&);
Reply run_bzpopmax(Call&);
Reply run_bzmpop(Call&);
Reply run_wait(Call&);

// scripting.cpp
Reply run_eval(Call&);
Reply run_evalsha(Call&);
Reply run_eval_ro(Call&);
Reply run_evalsha_ro(Call&);
Reply run_script(Call&);

// functions.cpp
Reply run_function(Call&);
Reply run_fcall(Call&);
Reply run_fcall_ro(Call&);

}  // namespace lockstep::sim
