import { Component, type ReactNode } from "react";

interface Props {
  /** What is shown; another one is tried anew. */
  at: string;
  children: ReactNode;
}

/** Keeps a fault of one view from taking the whole page: it is said, and the rest stays usable. */
export class Boundary extends Component<Props, { at: string; error: Error | null }> {
  override state = { at: this.props.at, error: null as Error | null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  static getDerivedStateFromProps(props: Props, state: { at: string }): { at: string; error: null } | null {
    return props.at === state.at ? null : { at: props.at, error: null };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="state" role="alert">
        <h2>This view stopped</h2>
        <p>It is a fault of the app; your drafts and knowledge are kept by the server. {error.message}</p>
        <div className="actions"><button type="button" className="button" onClick={() => location.reload()}>Load it again</button></div>
      </div>
    );
  }
}
