/* Reads the sources of verdicts, and how far they agree with gates and people. */
import type { SqlClient } from "effect/sql"
import { checkedSources } from "../../domain/reports/JudgeWorth.ts"
import type { LedgerWindow } from "../LedgerWindow.ts"
import type { JudgeCell, VerdictCell } from "../VerdictSums.ts"
import { condition } from "./AggregateStatements.ts"

/** The SQL sums of a {@link JudgeCell}: f is the source's verdict, and y that of a gate or a person. */
const judgeColumns = `count(y)::int as n, coalesce(sum(y), 0) as y,
  coalesce(sum(f) filter (where y is not null), 0) as f, coalesce(sum(y * y), 0) as yy,
  coalesce(sum(f * f) filter (where y is not null), 0) as ff, coalesce(sum(y * f), 0) as yf,
  count(*) filter (where y = 0)::int as wrong, count(*) filter (where y = 0 and f = 1)::int as "passedWrong",
  count(*) filter (where y = 1)::int as "right",
  count(*) filter (where y = 1 and f = 0)::int as "failedRight",
  json_build_object('n', count(*) filter (where y is null), 'f', coalesce(sum(f) filter (where y is null), 0),
    'ff', coalesce(sum(f * f) filter (where y is null), 0)) as rest`

export const readVerdicts = (sql: SqlClient.SqlClient, window: LedgerWindow) =>
  sql<VerdictCell>`
    select lane, count(*)::int as n,
      case when teaches then provenance when feedback_at is not null then 'none' end as source
    from decision_figures where ${condition(sql, window)} group by 1, 3
    order by lane collate "C", 3`

/** Reads verdicts of {@link checkedSources}, with verdicts of gates and people on the same calls. */
export const readJudges = (sql: SqlClient.SqlClient, window: LedgerWindow) =>
  sql<JudgeCell>`
    with reported as materialized (
      select f.task_type, o.outcomes from (
        select account_id, created_at, recommendation_id, split_part(cluster, ':', 1) as task_type
        from decision_figures where ${condition(sql, window)} and feedback_at is not null
      ) as f join outcome o using (account_id, created_at, recommendation_id)
      where o.account_id = ${window.accountId} and o.created_at >= ${window.since}
    )
    select source, task_type as "taskType", ${sql.literal(judgeColumns)}
    from (
      select task_type, each -> 'label' ->> 'provenance' as source,
        success_of(each -> 'label' ->> 'outcome') as f, null::float8 as y
      from reported, jsonb_array_elements(outcomes) as each
      where each -> 'label' ->> 'provenance' = any(${checkedSources}::text[])
        and ((each -> 'label' ->> 'teaches')::boolean or each -> 'label' ->> 'provenance' = 'self_check'
          and not (each -> 'label' ->> 'errorCause' is not distinct from 'infra'
            and each -> 'label' ->> 'outcome' <> 'success'))
      union all
      select task_type, said.key, said.value::float8,
        success_of(each -> 'label' ->> 'outcome')
      from reported, jsonb_array_elements(outcomes) as each, jsonb_each_text(each -> 'said') as said
      where outcomes @? '$[*].said' and each ? 'said'
        and (each -> 'label' ->> 'teaches')::boolean
        and each -> 'label' ->> 'provenance' in ('gate', 'human')
        and said.key = any(${checkedSources}::text[])
    ) as judged group by 1, 2 order by source collate "C", task_type collate "C"`
