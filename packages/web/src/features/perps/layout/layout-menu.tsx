import { useState } from 'react';
import { useWords } from '../../../lib/words.ts';
import { Button, TextField } from '../../../ui/controls.tsx';
import { Dialog, Menu } from '../../../ui/overlays.tsx';
import { useWidth } from '../../../ui/styles.ts';
import { opened, PANELS, panelsOf, without } from './layout.ts';
import {
  changeLayout,
  removeLayout,
  saveLayout,
  useLayout,
  useSavedLayouts,
} from './use-layout.ts';

/** Opens and closes panels, and saves layouts under a name. */
export function LayoutMenu() {
  const t = useWords();
  const layout = useLayout(useWidth() === 'wide');
  const saved = useSavedLayouts();
  const [isSaving, setIsSaving] = useState(false);
  const names = Object.keys(saved);
  const open = panelsOf(layout);
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={t('perps.layout.label')}
            title={t('perps.layout.label')}
            className="flex size-8 shrink-0 items-center justify-center rounded text-muted hover:bg-raised hover:text-text"
          >
            <svg viewBox="0 0 16 16" className="w-4" aria-hidden="true">
              <path
                d="M2 3h12v10H2zM10 3v10M2 9h8"
                fill="none"
                stroke="currentColor"
                strokeWidth="1.3"
              />
            </svg>
          </button>
        }
        items={[
          { kind: 'title', label: t('perps.layout.panels') },
          ...PANELS.map((panel) => ({
            label: t(`perps.layout.panel.${panel}`),
            isToggle: true,
            isChosen: open.includes(panel),
            isDisabled: open.length === 1 && open[0] === panel,
            onSelect: () =>
              changeLayout(open.includes(panel) ? without(layout, panel) : opened(layout, panel)),
          })),
          { kind: 'line' },
          ...names.flatMap((name) => [{ label: name, onSelect: () => changeLayout(saved[name]) }]),
          { label: t('perps.layout.save'), onSelect: () => setIsSaving(true) },
          { label: t('perps.layout.reset'), onSelect: () => changeLayout(undefined) },
        ]}
      />
      {isSaving && (
        <Dialog title={t('perps.layout.saveTitle')} isOpen onClose={() => setIsSaving(false)}>
          <SaveForm
            names={names}
            onSave={(name) => {
              saveLayout(name, layout);
              setIsSaving(false);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

type SaveFormProps = {
  readonly names: readonly string[];
  readonly onSave: (name: string) => void;
};

function SaveForm({ names, onSave }: SaveFormProps) {
  const t = useWords();
  const [name, setName] = useState('');
  const wanted = name.trim();
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted !== '') onSave(wanted);
      }}
    >
      <TextField label={t('perps.layout.name')} maxLength={40} value={name} onChange={setName} />
      <Button type="submit" kind="accent" isWide disabled={wanted === ''}>
        {t('perps.save')}
      </Button>
      {names.length > 0 && (
        <ul aria-label={t('perps.layout.saved')} className="flex flex-col border-t border-line">
          {names.map((each) => (
            <li key={each} className="flex h-9 items-center justify-between border-b border-line">
              <span className="truncate text-13">{each}</span>
              <Button
                size="small"
                kind="quiet"
                aria-label={t('perps.layout.remove', { name: each })}
                onClick={() => removeLayout(each)}
              >
                ✕
              </Button>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
