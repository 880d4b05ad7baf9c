/** An action with its first entry alone, and how many it has. */
type BriefAction = {
  readonly action: { type: string } & Record<string, unknown>;
  readonly entries: number;
};

/** What an action may hold many of. */
const LISTS = ['orders', 'cancels', 'split', 'merge'] as const;

/** An action as a line of a list tells it: long ones would make the list many times as long. */
export function briefAction(action: BriefAction['action']): BriefAction {
  const { payload } = action;
  if (isWrapped(payload)) {
    const inner = briefAction(payload.action);
    return {
      action: { ...action, payload: { ...payload, action: inner.action } },
      entries: inner.entries,
    };
  }
  const brief = { ...action };
  let entries = 0;
  for (const name of LISTS) {
    const list = action[name];
    if (!Array.isArray(list)) continue;
    entries += list.length;
    brief[name] = list.slice(0, 1);
  }
  return { action: brief, entries: Math.max(1, entries) };
}

/** What several signed together carries the action in it. */
function isWrapped(payload: unknown): payload is { readonly action: BriefAction['action'] } {
  return typeof payload === 'object' && payload !== null && 'action' in payload;
}
