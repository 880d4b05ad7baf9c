/** The id of the ticket's form. */
export const TICKET = 'ticket';

/** The first thing to type in the ticket: a price, or with a market order the size. */
export function focusTicket(): void {
  document.querySelector<HTMLInputElement>(`#${TICKET} input:not([type=checkbox])`)?.focus();
}
