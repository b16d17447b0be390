-- Votes of readers, who have a token of one decision and no key.

-- What an account's tokens are signed with; those of an earlier version have ended.
create table vote_secret (
  account_id text not null check (account_id <> ''),
  version int not null,
  secret text not null,
  made_at timestamptz not null default now(),
  primary key (account_id)
);
call secure_table('vote_secret');
-- The last vote on a decision's answer: `thumb`, `comment`, `votedAt` and `revision`, a number among those of reports.
alter table decision add column vote jsonb;
-- A label may come from a vote.
alter table observation drop constraint observation_provenance_check; -- contract: the next one allows all that it did
alter table observation add constraint observation_provenance_check
  check (provenance in ('gate', 'judge', 'human', 'none', 'assertion', 'vote')) not valid;
