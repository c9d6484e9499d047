-- A row a batch and shard, never one a schedule. The day is that of the ids and not of the clock: what waited over midnight is
-- counted on the day by which its end will be counted too. A single one, which is a call over HTTP, does without the plan
-- that sorts.
create or replace function gnomon_data.note_accepted(ids uuid[]) returns void
language plpgsql volatile
as $$
begin
    if cardinality(ids) = 1 then
        insert into gnomon_data.acceptances (accepted_on, shard, accepted_count)
        values ((gnomon_data.at_of_id(ids[1]) at time zone 'UTC')::date, gnomon_data.shard_of_id(ids[1]), 1);
    else
        -- By the bytes that hold instant and shard: what they mean is asked once a group.
        insert into gnomon_data.acceptances (accepted_on, shard, accepted_count)
        select (gnomon_data.at_of_id(f.id) at time zone 'UTC')::date, gnomon_data.shard_of_id(f.id), g.count
          from (select substr(uuid_send(i.id), 1, 8) as head, count(*) from unnest(ids) as i (id) group by 1) as g
         cross join lateral (select (encode(g.head, 'hex') || repeat('0', 16))::uuid as id) as f;
    end if;
end
$$;

comment on function gnomon_data.note_accepted(uuid[]) is 'Writes into the ledger how many schedules were made, by shard and day.';
