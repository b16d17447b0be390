-- Quota that an account has paid already.

-- What is used of each quota of `document`, by model: `since`, when the quota was set, and `used`, tokens. Null without
-- any. Settlements count without a new version.
alter table account_models add column prepaid jsonb;
-- What a call of each prepaid model was expected to use, tokens by model; null where none was prepaid.
alter table decision add column prepaid_tokens jsonb;
