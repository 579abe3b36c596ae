import { api, ok } from "./client";
import type { JobEvents } from "./types";

export type Heard = { [Name in keyof JobEvents]?: (event: JobEvents[Name]) => void };

const NAMES: (keyof JobEvents)[] = [
  "stage", "token", "model", "known", "draft", "proposal", "figure", "learned", "warmed", "described", "completion", "problem", "end",
];

/**
 * Listens to a job until it ends. The browser comes back by itself when the connection breaks and goes on behind
 * the last event; `lost` is called when it gives up. Returns what stops listening.
 */
export function listen(job: string, heard: Heard, lost: () => void = () => {}): () => void {
  const source = new EventSource(`/api/jobs/${encodeURIComponent(job)}/events`);
  for (const name of NAMES) {
    source.addEventListener(name, (message) => {
      const event = JSON.parse((message as MessageEvent<string>).data);
      if (name === "end") source.close();
      (heard[name] as ((event: unknown) => void) | undefined)?.(event);
    });
  }
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) lost();
    else ok(api.GET("/api/app")).catch(() => {}); // says whether the server is gone or only the line broke
  };
  return () => source.close();
}
