import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../../lib/browser.ts';
import { compare, isDecimal, magnitude, multiply } from '../../lib/decimal.ts';
import { notify, playTone } from '../../ui/overlays.tsx';

export type Alert = {
  readonly id: string;
  readonly kind: 'above' | 'below' | 'funding';
  readonly coin: string;
  readonly market: string;
  /**
   * A mark price, or an hourly funding rate in percent. A rate applies to positive and negative
   * funding.
   */
  readonly bound: string;
  readonly toldMs?: number | undefined;
};

type Alerts = {
  readonly rows: readonly Alert[];
  readonly hasFills: boolean;
  readonly marginFrom: number | undefined;
  readonly endMinutes: number | undefined;
  readonly hasSound: boolean;
  readonly isOutside: boolean;
};

export const NO_ALERTS: Alerts = {
  rows: [],
  hasFills: false,
  marginFrom: undefined,
  endMinutes: undefined,
  hasSound: true,
  isOutside: false,
};

const ROWS_MAX = 50;

export type Figures = { readonly markPx: string; readonly funding: string };

export function isReached({ bound, kind }: Alert, { funding, markPx }: Figures): boolean {
  if (kind === 'funding') {
    return isDecimal(funding) && compare(magnitude(multiply(funding, '100')), bound) >= 0;
  }
  if (!isDecimal(markPx)) return false;
  const side = compare(markPx, bound);
  return kind === 'above' ? side >= 0 : side <= 0;
}

export function judged(
  rows: readonly Alert[],
  coin: string,
  figures: Figures,
  nowMs: number,
): { readonly due: readonly Alert[]; readonly rows: readonly Alert[] } {
  const due: Alert[] = [];
  const after = rows.map((alert) => {
    if (alert.coin !== coin) return alert;
    const isTrue = isReached(alert, figures);
    if (isTrue && alert.toldMs === undefined) {
      due.push(alert);
      return { ...alert, toldMs: nowMs };
    }
    return !isTrue && alert.kind === 'funding' && alert.toldMs !== undefined
      ? { ...alert, toldMs: undefined }
      : alert;
  });
  const hasChanged = after.some((alert, at) => alert !== rows[at]);
  return { due, rows: hasChanged ? after : rows };
}

export function withRow(alerts: Alerts, row: Alert): Alerts {
  return { ...alerts, rows: [...alerts.rows, row].slice(-ROWS_MAX) };
}

export function withoutRow(alerts: Alerts, id: string): Alerts {
  return { ...alerts, rows: alerts.rows.filter((row) => row.id !== id) };
}

/**
 * Returns the alerts in a stored string. The string is untrusted, so invalid alerts are removed.
 */
export function alertsOf(text: string | null): Alerts {
  try {
    const found = JSON.parse(text ?? '{}') as Partial<Record<keyof Alerts, unknown>>;
    const rows: readonly unknown[] = Array.isArray(found.rows) ? found.rows : [];
    return {
      rows: rows.filter(isAlert).slice(-ROWS_MAX),
      hasFills: found.hasFills === true,
      marginFrom: boundOf(found.marginFrom),
      endMinutes: boundOf(found.endMinutes),
      hasSound: found.hasSound !== false,
      isOutside: found.isOutside === true,
    };
  } catch {
    return NO_ALERTS;
  }
}

function boundOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function isAlert(value: unknown): value is Alert {
  if (typeof value !== 'object' || value === null) return false;
  const { bound, coin, id, kind, market, toldMs } = value as Partial<Record<keyof Alert, unknown>>;
  const isKind = kind === 'above' || kind === 'below' || kind === 'funding';
  const areTexts = [bound, coin, id, market].every((text) => typeof text === 'string');
  const isTime = toldMs === undefined || typeof toldMs === 'number';
  return isKind && areTexts && isTime && isDecimal(bound as string);
}

type AlertsState = { readonly owner: string; readonly alerts: Alerts };

const PREFIX = 'oddlot.alerts.';
const NOBODY = 'nobody';

const store = createStore<AlertsState>(() => ({ owner: '', alerts: NO_ALERTS }));

if (typeof addEventListener === 'function') {
  addEventListener('storage', ({ key, newValue }) => {
    const { owner } = store.getState();
    if (key === PREFIX + owner) store.setState({ owner, alerts: alertsOf(newValue) });
  });
}

export function openAlerts(account: string | undefined): void {
  const owner = account ?? NOBODY;
  if (owner === store.getState().owner) return;
  store.setState({ owner, alerts: alertsOf(readText(PREFIX + owner)) });
}

export function currentAlerts(): Alerts {
  return store.getState().alerts;
}

export function useAlerts(): Alerts {
  return useStore(store, ({ alerts }) => alerts);
}

export function changeAlerts(change: (alerts: Alerts) => Alerts): void {
  const { alerts: before, owner } = store.getState();
  const alerts = change(before);
  if (alerts === before) return;
  store.setState({ owner, alerts });
  keepText(PREFIX + owner, JSON.stringify(alerts));
}

type Shown = { readonly isOpen: boolean; readonly coin: string | undefined };

const shown = createStore<Shown>(() => ({ isOpen: false, coin: undefined }));

export function showAlerts(coin?: string): void {
  shown.setState({ isOpen: true, coin });
}

export function hideAlerts(): void {
  shown.setState({ isOpen: false, coin: undefined });
}

export function useShownAlerts(): Shown {
  return useStore(shown);
}

type AlertText = { readonly title: string; readonly text?: string | undefined };

export function reportAlert({ text, title }: AlertText): void {
  notify({ title, text, tone: 'warning' });
  const { hasSound, isOutside } = currentAlerts();
  if (hasSound) playTone();
  if (isOutside) reportOutside({ title, text });
}

export function reportOutside({ text = '', title }: AlertText): void {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
  try {
    const notice = new Notification(title, { body: text, icon: '/icon-192.png' });
    notice.addEventListener('click', () => focus());
  } catch {
    // Some browsers allow notifications only from a service worker.
  }
}

export async function askForNotices(): Promise<boolean> {
  if (!('Notification' in globalThis)) return false;
  if (Notification.permission !== 'default') return Notification.permission === 'granted';
  return (await Notification.requestPermission()) === 'granted';
}
