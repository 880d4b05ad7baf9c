import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../../../lib/local-texts.ts';

/** What owners wrote to their orders, by order id. It is for their eyes: this browser keeps it, and nobody is sent it. */
type Notes = Readonly<Record<string, string>>;

const KEY = 'oddlot.notes';
/** The oldest go first. */
const NOTES_MAX = 500;
export const NOTE_CHARS = 140;

const notes = createStore<Notes>(() => kept());

export function useNote(oid: number): string {
  return useStore(notes, (all) => all[String(oid)] ?? '');
}

export function writeNote(oid: number, text: string): void {
  const { [String(oid)]: _, ...others } = notes.getState();
  const note = text.trim().slice(0, NOTE_CHARS);
  const all = Object.entries(note === '' ? others : { ...others, [String(oid)]: note });
  const newest = all.toSorted(([a], [b]) => Number(a) - Number(b)).slice(-NOTES_MAX);
  notes.setState(Object.fromEntries(newest), true);
  keepText(KEY, JSON.stringify(notes.getState()));
}

function kept(): Notes {
  try {
    const found: unknown = JSON.parse(readText(KEY) ?? '{}');
    const entries = Object.entries(found as object).filter(([, text]) => typeof text === 'string');
    return Object.fromEntries(entries) as Notes;
  } catch {
    return {};
  }
}
