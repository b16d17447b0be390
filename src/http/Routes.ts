/* The routes of a server: which methods each path has, and which route answers a URL. */
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

export interface Routes {
  /** Methods by path. */
  readonly methods: ReadonlyMap<string, ReadonlySet<string>>
  /**
   * The path of the route that answers this URL; undefined if none does. The router treats a doubled slash,
   * an escaped letter, another case and a final slash as the same path. Code that depends on the path
   * therefore reads this, never the URL.
   */
  readonly routeOf: (url: string) => string | undefined
}

const anyMethod = "GET"

/** The routes of an API, and of pages beside it, which have `GET` only. */
export const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<string>
): Routes => {
  const methods = new Map<string, Set<string>>(pages.map((path) => [path, new Set(["GET"])]))
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      methods.set(endpoint.path, (methods.get(endpoint.path) ?? new Set()).add(endpoint.method))
    }
  })
  // The matcher of the server's own router.
  const matcher = FindMyWay.make<string>()
  for (const path of methods.keys()) matcher.on(anyMethod, `/${path.slice(1)}`, path)
  // Most requests spell the path as it is declared.
  return { methods, routeOf: (url) => methods.has(url) ? url : matcher.find(anyMethod, url)?.handler }
}
