-- What attempts at one task leave behind.

-- Log-likelihoods of outcomes after judged attempts, one for each spread that `stats/DifficultySpread` compares.
alter table lane_numbers add column spread_evidence float8[];
