-- Only where there is no row: what was changed or dropped stays so, through every upgrade.
create or replace function gnomon_data.first_categories() returns void
language sql volatile
as $$
    insert into gnomon_data.categories (name, lane, description, changed_at_utc)
    values ('security', 0, 'Sign-ins, changed passwords, new devices', gnomon_data.now_utc()),
           ('otp', 0, 'One-time codes', gnomon_data.now_utc()),
           ('transaction', 1, 'Orders, payments, deliveries', gnomon_data.now_utc()),
           ('reminder', 1, 'What the user asked to be reminded of', gnomon_data.now_utc()),
           ('social', 2, 'Likes, comments, followers', gnomon_data.now_utc()),
           ('digest', 2, 'Summaries of a day or a week', gnomon_data.now_utc()),
           ('marketing', 2, 'Offers and news', gnomon_data.now_utc())
    on conflict on constraint categories_pkey do nothing
$$;

comment on function gnomon_data.first_categories() is 'The categories that an installation begins with; channels and expiry are left to the defaults.';
