create type gnomon.delivery_outcome as (
    delivery_id text, claim_id uuid, outcome text, provider_reference text, detail text, retry_after interval
);
comment on type gnomon.delivery_outcome is 'What became of an attempt: outcome is sent, retry, failed or unknown; or says why: gone, refused, throttled, transient, unclear, unauthorised.';

create type gnomon.claimed as (
    delivery_id text, claim_id uuid, attempt int, claimed_until_utc timestamptz, now_utc timestamptz, event jsonb
);
comment on type gnomon.claimed is
    'A delivery handed over: settle it with its claim_id before claimed_until_utc. claimed_until_utc - now_utc is the lease without a common clock. From exchange_deliveries, without an event: an outcome that is not settled yet.';

create type gnomon_data.settling as (
    lane smallint, shard smallint, id uuid, claim_id uuid, outcome text, provider_reference text, detail text,
    next_ready_at_utc timestamptz, reason text
);
comment on type gnomon_data.settling is
    'An outcome on its way into the table; next_ready_at_utc for a retry, null when the delivery ends with the outcome. reason: see meaning_of.';

create type gnomon_data.order_group as (lane smallint, shard smallint, user_id text, channel text);
comment on type gnomon_data.order_group is 'Deliveries that keep their order among themselves.';

create type gnomon_data.order_place as (shard smallint, user_id text, channel text, due_at_utc timestamptz, id uuid);
comment on type gnomon_data.order_place is 'Where a delivery of the transactional lane stands among those of its user and channel.';
