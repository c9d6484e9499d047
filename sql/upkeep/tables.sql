-- Upkeep that has to look at every row of a large table looks at a piece of it a call and goes on where it stopped: a call
-- that walked ten million keys to find none would cost a core for seconds, every minute.
create table gnomon_data.walks (
    walk text not null constraint walks_pkey primary key,
    after_shard smallint not null,
    after_kind smallint not null,
    after_key bytea not null
);
comment on table gnomon_data.walks is 'How far each walk of upkeep has come: the key of the last row it looked at.';
