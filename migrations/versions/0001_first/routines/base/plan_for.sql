-- For functions that carry `set plan_cache_mode = force_generic_plan`: their statements are planned once a session, which a
-- call of one row lives on (2 ms of 4). That plan was made when the tables were nearly empty, where every index that
-- begins with the shard costs the same; with 300,000 rows waiting it took ten times as long for 500 rows as one that was
-- planned for them. So a large call plans anew. The setting ends with the function that calls this.
create or replace function gnomon_data.plan_for(row_count int) returns void
language plpgsql volatile
as $$
begin
    if row_count >= 32 then
        perform set_config('plan_cache_mode', 'force_custom_plan', true);
    end if;
end
$$;

comment on function gnomon_data.plan_for(int) is 'Lets the statements of the calling function be planned anew when it has 32 rows or more to work on.';
