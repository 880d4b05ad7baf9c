/** What can stand below the markets of an event. */
const PANELS = ['book', 'activity', 'holders', 'orders', 'rules'] as const;
export type Panel = (typeof PANELS)[number];

export function isPanel(value: unknown): value is Panel {
  return PANELS.includes(value as Panel);
}
