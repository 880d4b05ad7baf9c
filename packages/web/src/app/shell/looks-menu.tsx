import { useStore } from 'zustand';
import { LANGUAGE_TAGS, LANGUAGES } from '../../lib/languages.ts';
import { useLanguage, useWords } from '../../lib/words.ts';
import { showAlerts } from '../../market/alerts/kept-alerts.ts';
import { Menu } from '../../ui/menu.tsx';
import { prefer, preferences } from '../../ui/preferences.ts';

/** How the page looks, and its keys. */
export function LooksMenu({ onHelp }: { readonly onHelp: () => void }) {
  const t = useWords();
  const { sides, theme } = useStore(preferences);
  const language = useLanguage();
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t('header.settings')}
          className="flex size-8 items-center justify-center rounded text-muted hover:bg-raised hover:text-text"
        >
          <svg viewBox="0 0 16 16" className="w-4" aria-hidden="true">
            <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" strokeWidth="1.3" />
            <path d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" fill="currentColor" />
          </svg>
        </button>
      }
      items={[
        { kind: 'title', label: t('header.theme') },
        ...(['dark', 'light', 'system'] as const).map((value) => ({
          label: t(
            value === 'dark'
              ? 'header.themeDark'
              : value === 'light'
                ? 'header.themeLight'
                : 'header.themeSystem',
          ),
          isChosen: theme === value,
          onSelect: () => prefer({ theme: value }),
        })),
        { kind: 'line' },
        { kind: 'title', label: t('header.sides') },
        ...(['green-red', 'blue-orange'] as const).map((value) => ({
          label: t(value === 'green-red' ? 'header.sidesGreenRed' : 'header.sidesBlueOrange'),
          isChosen: sides === value,
          onSelect: () => prefer({ sides: value }),
        })),
        { kind: 'line' },
        { kind: 'title', label: t('header.language') },
        ...LANGUAGE_TAGS.map((tag) => ({
          label: <span lang={tag}>{LANGUAGES[tag].name}</span>,
          isChosen: language === tag,
          onSelect: () => prefer({ language: tag }),
        })),
        { kind: 'line' },
        { label: t('alerts.menu'), onSelect: () => showAlerts() },
        { label: t('help.title'), onSelect: onHelp },
      ]}
    />
  );
}
