import { assert, describe, it } from "@effect/vitest"
import { functionProblems, sqlProblems, statementProblems } from "../../scripts/checks/sql.ts"

describe("statements of requests", () => {
  it("are ordinary SQL, and the functions are few", () => {
    assert.deepStrictEqual(sqlProblems(), [])
  })

  for (
    const [statement, problem] of [
      ["update lane l set version = 1 from held where l.ctid = held.place", "physical address"],
      ["select nextval('report_revision')", "sequence"],
      ["insert into lane select * from json_to_recordset($1) as l (lane text)", "rows of JSON"],
      ["insert into decision select * from jsonb_populate_record(null::decision, $1)", "rows of JSON"],
      ["insert into lane values ($1) on conflict (lane) do update set id = gen_random_uuid()", "volatile function"],
      ["create trigger t after insert on lane execute function f()", "trigger"],
      ["do $$ begin end $$", "PL/pgSQL"]
    ] as const
  ) {
    it(`are refused where one says: ${statement}`, () => {
      assert.match(statementProblems("a", statement).join(), new RegExp(problem))
    })
  }

  it("may be spoken of in comments", () => {
    assert.deepStrictEqual(statementProblems("a", "// no ctid\n/* nextval( */\n-- create trigger\nselect 1"), [])
  })

  it("call no further function of PL/pgSQL, and these stay short", () => {
    const made = "create or replace function settle(account text) returns void language plpgsql as $$ begin end $$;\n"
    assert.deepStrictEqual(functionProblems(new Map([["a", made]])), ["a: settle is no function that stays in PL/pgSQL"])
    assert.match(functionProblems(new Map([["a", "\n".repeat(501)]])).join(), /501 lines/)
  })
})
