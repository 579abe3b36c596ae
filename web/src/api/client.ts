import createClient from "openapi-fetch";
import type { paths } from "./schema";
import type { Problem } from "./types";

export const api = createClient<paths>({ baseUrl: globalThis.location?.origin ?? "", fetch: (request) => fetch(request) });

/** What the server said went wrong; also where it cannot be reached at all (status 0). */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
    this.name = "ApiError";
  }
}

const UNREACHABLE: Problem = {
  type: "about:blank",
  title: "The server does not answer",
  status: 0,
  detail: "sqlore cannot be reached.",
  hint: "Is `sqlore serve` still running? Nothing you made is lost: drafts are kept on disk.",
  kinds: ["unreachable"],
  errors: [],
};

let tell: (reached: boolean) => void = () => {};

/** Who is told whether the server answers, with every request. */
export function whenReached(told: (reached: boolean) => void): void {
  tell = told;
}

/** The data of an answer. Throws `ApiError`; an aborted request throws what `fetch` throws. */
export async function ok<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  let found;
  try {
    found = await answer;
  } catch (error) {
    if (isAbort(error)) throw error;
    tell(false);
    throw new ApiError(UNREACHABLE);
  }
  tell(true);
  if (found.error !== undefined || !found.response.ok) throw new ApiError(asProblem(found.error, found.response));
  return found.data as T;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Any error as a problem that can be shown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return { type: "about:blank", title: "Something went wrong", status: 500, detail, kinds: [], errors: [] };
}

function asProblem(body: unknown, response: Response): Problem {
  if (body !== null && typeof body === "object" && "detail" in body) return body as Problem;
  const title = `HTTP ${response.status}`;
  return { type: "about:blank", title, status: response.status, detail: response.statusText || title, kinds: [], errors: [] };
}
