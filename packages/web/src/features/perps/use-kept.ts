import { useState } from 'react';
import { keepText, readText } from '../../lib/local-texts.ts';

const PREFIX = 'oddlot.perps.';

export function useKept<Value>(name: string, initial: Value): [Value, (next: Value) => void] {
  const [value, setValue] = useState<Value>(() => {
    try {
      const text = readText(PREFIX + name);
      return text === null ? initial : (JSON.parse(text) as Value);
    } catch {
      return initial;
    }
  });
  const keep = (next: Value): void => {
    setValue(next);
    keepText(PREFIX + name, JSON.stringify(next));
  };
  return [value, keep];
}
