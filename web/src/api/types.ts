import type { components } from "./schema";

type Schemas = components["schemas"];

export type Kind = Schemas["Citation"]["kind"];
export type Status = Schemas["Citation"]["status"];
export type Uncovered = Schemas["Uncovered"];
export type Trust = Schemas["Citation"]["trust"];
export type Cell = Schemas["ResultPage"]["rows"][number][number];
export type Citation = Schemas["Citation"];
export type Concern = Schemas["Concern"];
export type Draft = Schemas["Draft"];
export type DraftPage = Schemas["DraftPage"];
export type DraftSummary = Schemas["DraftSummary"];
export type Holds = Schemas["Holds"];
export type Example = Schemas["Example"];
export type ExampleCounts = Schemas["ExampleCounts"];
export type ExampleState = Example["state"];
export type Explained = Schemas["Explained"];
export type ExplainedItem = Schemas["ExplainedItem"];
export type Figure = Schemas["Figure"];
export type Health = Schemas["Health"];
export type ItemSummary = Schemas["ItemSummary"];
export type Job = Schemas["Job"];
export type Known = Schemas["Known"];
export type KnownItem = Schemas["KnownItem"];
export type KnownScript = Schemas["KnownScript"];
export type FlowNode = Schemas["Node"];
export type Problem = Schemas["Problem"];
export type Proposal = Schemas["Proposal"];
export type Act = Schemas["EditAct"] | Schemas["ChooseAct"] | Schemas["OffAct"] | Schemas["OnAct"] | Schemas["AddAct"] | Schemas["SqlAct"];
export type RefineOption = Schemas["RefineOption"];
export type ResultColumn = Schemas["ResultColumn"];
export type ResultPage = Schemas["ResultPage"];
export type ScriptSummary = Schemas["ScriptSummary"];
export type Step = Schemas["Step"];
export type Switches = Schemas["AppState"];

export type ModelEvent = Schemas["ModelEvent"];

/** What a job tells, by its name. */
export interface JobEvents {
  stage: Schemas["StageEvent"];
  token: Schemas["TokenEvent"];
  model: Schemas["ModelEvent"];
  known: Schemas["KnownEvent"];
  draft: Schemas["DraftEvent"];
  proposal: Schemas["ProposalEvent"];
  figure: Schemas["FigureEvent"];
  learned: Schemas["LearnedEvent"];
  warmed: Schemas["WarmedEvent"];
  described: Schemas["DescribedEvent"];
  completion: Schemas["CompletionEvent"];
  problem: Schemas["ProblemEvent"];
  end: Schemas["EndEvent"];
}
export type ItemDetail = Schemas["ItemDetail"];
export type ColumnEntry = Schemas["ColumnEntry"];
export type TableEntry = Schemas["TableEntry"];
export type TableSummary = Schemas["TableSummary"];
export type WarmReport = Schemas["WarmReport"];
export type LearnReport = Schemas["LearnReport"];
export type Rejected = Schemas["Rejected"];
export type LoggedEvent = Schemas["LoggedEvent"];
export type Setting = Schemas["Setting"];
