-- What SQL has to know of the installation. Written by the processes from their GNOMON_* settings, read by functions.
create table gnomon_data.settings (
    name text not null constraint settings_pkey primary key,
    value text not null
);
comment on table gnomon_data.settings is 'The settings that SQL functions read: default_time_zone, default_channels, has_webhook, notify, fire_ahead.';
