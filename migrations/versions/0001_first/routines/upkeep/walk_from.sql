create or replace function gnomon_data.walk_from(walk text) returns gnomon_data.walks
language sql volatile
as $$ select w.* from gnomon_data.walks as w where w.walk = walk_from.walk for update skip locked $$;

comment on function gnomon_data.walk_from(text) is
    'Where a walk goes on, held until the transaction ends; null when somebody else is walking.';
