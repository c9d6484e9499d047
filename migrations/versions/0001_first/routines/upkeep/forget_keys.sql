-- A key is remembered while anything of its schedule is pending and 48 h after: a dedup_key for its answer, a natural key so
-- that a rebuild from the caller's table does not start anew what has just been done. First the rows are locked, then, in a statement of its own, it is asked again whether they are over: an upsert
-- points a key anew with the key's row locked, and one that had just committed would not be seen by the statement that
-- locks. A key forgotten then would be a second reminder for one pill.
create or replace function gnomon.forget_keys(at_most int) returns int
language plpgsql volatile security definer set search_path = ''
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
    now_utc constant timestamptz := gnomon_data.now_utc();
    place gnomon_data.walks;
    piece gnomon_data.walks[];
    held gnomon_data.walks[];
    deleted_count int;
    marked_count int;
begin
    place := gnomon_data.walk_from('schedule_keys');
    if place.walk is null then
        return 0;
    end if;
    select array_agg(row(place.walk, p.shard, p.kind, p.key_hash)::gnomon_data.walks order by p.shard, p.kind, p.key_hash) into piece
      from (select k.shard, k.kind, k.key_hash from gnomon_data.schedule_keys as k
             where (k.shard, k.kind, k.key_hash) > (place.after_shard, place.after_kind, place.after_key)
             order by k.shard, k.kind, k.key_hash limit at_most * 10) as p;
    perform gnomon_data.walk_to(place.walk, piece, at_most * 10);
    select array_agg(row(place.walk, l.shard, l.kind, l.key_hash)::gnomon_data.walks) into held
      from unnest(piece) as p
     cross join lateral (
           select k.shard, k.kind, k.key_hash from gnomon_data.schedule_keys as k
            where k.shard = p.after_shard and k.kind = p.after_kind and k.key_hash = p.after_key
              and (k.keep_until_utc < now_utc or k.keep_until_utc is null and gnomon_data.is_over(k.shard, k.schedule_id))
              for update skip locked) as l;
    delete from gnomon_data.schedule_keys as k using unnest(held) as h
     where k.shard = h.after_shard and k.kind = h.after_kind and k.key_hash = h.after_key and k.keep_until_utc < now_utc;
    get diagnostics deleted_count = row_count;
    update gnomon_data.schedule_keys as k
       set keep_until_utc = now_utc + interval '48 h'
      from unnest(held) as h
     where k.shard = h.after_shard and k.kind = h.after_kind and k.key_hash = h.after_key
       and k.keep_until_utc is null and gnomon_data.is_over(k.shard, k.schedule_id);
    get diagnostics marked_count = row_count;
    return deleted_count + marked_count;
end
$$;

comment on function gnomon.forget_keys(int) is
    'Looks at the next ten times at_most keys: those whose schedule is over get their term (48 h), those past it go; how many were touched.';
revoke all on function gnomon.forget_keys(int) from public;
grant execute on function gnomon.forget_keys(int) to gnomon_worker;
