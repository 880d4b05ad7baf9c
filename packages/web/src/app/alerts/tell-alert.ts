import { currentAlerts } from '../../market/alerts/alerts.ts';
import { notify, playTone } from '../../ui/toast.tsx';

type Told = { readonly title: string; readonly text?: string | undefined };

/** In the page, with its sound, and outside of it where that was asked for. */
export function tellAlert({ text, title }: Told): void {
  notify({ title, text, tone: 'warning' });
  const { hasSound, isOutside } = currentAlerts();
  if (hasSound) playTone();
  if (isOutside) tellOutside({ title, text });
}

/** A notice of the browser, for who looks at something else. */
export function tellOutside({ text = '', title }: Told): void {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
  try {
    const notice = new Notification(title, { body: text, icon: '/icon-192.png' });
    notice.addEventListener('click', () => focus());
  } catch {
    // Some browsers let only a background program tell; the page has told it.
  }
}

/** Asks the browser once; only after somebody pressed something may it be asked. */
export async function askForNotices(): Promise<boolean> {
  if (!('Notification' in globalThis)) return false;
  if (Notification.permission !== 'default') return Notification.permission === 'granted';
  return (await Notification.requestPermission()) === 'granted';
}
