import { useWords } from '../../../lib/words.ts';
import { COLOURS } from './indicators/indicator-kinds.ts';

type ColoursProps = { readonly value: number; readonly onChange: (colour: number) => void };

/** Selects a theme colour for a line. */
export function Colours({ value, onChange }: ColoursProps) {
  const t = useWords();
  return (
    <span role="group" aria-label={t('perps.chart.colour')} className="flex gap-1">
      {Array.from({ length: COLOURS }, (_, at) => at + 1).map((colour) => (
        <button
          key={colour}
          type="button"
          aria-pressed={colour === value}
          aria-label={t('perps.chart.colourNumber', { number: colour })}
          onClick={() => onChange(colour)}
          style={{ backgroundColor: `var(--plot-${colour})` }}
          className="size-6 rounded border-2 border-panel aria-pressed:border-text"
        />
      ))}
    </span>
  );
}

/**
 * Returns one of the theme's line colours. Numbers beyond the last colour wrap around to the first.
 */
export function plotColour(colour: number): string {
  const style = getComputedStyle(document.documentElement);
  return style.getPropertyValue(`--plot-${1 + ((colour - 1) % COLOURS)}`).trim();
}
