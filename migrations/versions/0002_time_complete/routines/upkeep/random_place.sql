-- Ids are in order of time: a place between the first schedule of the shard and now.
create or replace function gnomon_data.random_place(shard smallint, look_at int) returns uuid
language sql volatile
as $$
    select case when look_at is null or first.at_utc is null then '00000000-0000-0000-0000-000000000000'::uuid
                else gnomon_data.new_id(random_place.shard, first.at_utc + (greatest(gnomon_data.now_utc(), first.at_utc) - first.at_utc) * random() * random()) end
      from (select gnomon_data.at_of_id((select s.id from gnomon_data.schedules as s where s.shard = random_place.shard order by s.id limit 1)) as at_utc) as first
$$;

comment on function gnomon_data.random_place(smallint, int) is 'An id from which on to look at some rows of a shard; the lowest for a look at all.';
