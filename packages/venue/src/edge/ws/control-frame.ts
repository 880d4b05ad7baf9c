import { checkJson, jsonRefusal, type ResumePoint, type ScanFault } from '@oddlot/protocol';
import type { WsError } from './ws-error.ts';

/** What a client says on /ws and /api-ws. */
export type Control = {
  readonly method: string;
  readonly frame: Readonly<Record<string, unknown>>;
};

export const INVALID_FRAME: WsError = {
  code: 'INVALID_FRAME',
  message: 'A frame is a JSON object with method subscribe, unsubscribe or ping',
};

export function readControl(text: string): Control | WsError {
  const checked = checkJson(text);
  if (!checked.ok) return unreadable(text, checked);
  const frame: unknown = JSON.parse(text);
  if (!isRecord(frame) || typeof frame['method'] !== 'string') return INVALID_FRAME;
  return { method: frame['method'], frame };
}

/** JSON that the interface does not take is told what is wrong with it. */
function unreadable(text: string, fault: ScanFault): WsError {
  const { message } = jsonRefusal(text, fault);
  const isJson = !message.startsWith('Malformed');
  return isJson ? { code: 'INVALID_FRAME', message } : INVALID_FRAME;
}

export function readResumeFrom(value: unknown): ResumePoint | undefined | 'invalid' {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) return 'invalid';
  const { epoch, seq } = value;
  if (typeof epoch !== 'string' || typeof seq !== 'number') return 'invalid';
  return Number.isSafeInteger(seq) && seq >= 0 ? { epoch, seq } : 'invalid';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
