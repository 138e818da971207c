/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a carousel's slides and dots are groups (WAI-ARIA APG), and a fieldset
   groups only the fields of a form */
import { ActionIcon, Button, Group, Modal, VisuallyHidden } from '@mantine/core';
import type { Evidence } from '@propusk/contract/protection';
import * as t from '@propusk/phrases/console';
import { IconArrowLeft, IconArrowRight, IconCircleCheck } from '@tabler/icons-react';
import { type KeyboardEvent, type TouchEvent, useRef, useState } from 'react';
import extension from './extension.svg';
import htaccess from './htaccess.svg';
import classes from './onboarding-dialog.module.css';
import sites from './sites.svg';
import users from './users.svg';

/** The four slides of an owner's onboarding in their order (spec section 2, dialogs). */
const steps = [
  { picture: sites, proof: 'siteExists' },
  { picture: htaccess, proof: 'lockVerified' },
  { picture: extension, proof: 'extensionSeen' },
  { picture: users, proof: 'userHasPolicy' },
] as const satisfies readonly { picture: string; proof: keyof Evidence }[];
const decks = {
  owner: t.onboarding.slides.map((slide, index) => ({ ...slide, ...(steps[index] ?? steps[0]) })),
  agent: [{ ...t.onboarding.agent, ...steps[2] }],
};
/** The shortest movement in pixels that counts as a swipe and not as a tap. */
const SWIPE_PX = 40;
const arrow = { variant: 'subtle', color: 'gray', size: 40 } as const;

export interface OnboardingDialogProps {
  opened: boolean;
  /** The kind of user whose slides are shown. */
  of: keyof typeof decks;
  /** The finished steps; undefined while unknown, and for users who are not owners. */
  evidence: Evidence | undefined;
  /** Called on Escape, which shows the onboarding again on the next visit. */
  onClose: () => void;
  onUnderstood: () => void;
}

/** The onboarding: a carousel of slides. All slides share one grid cell, so that the tallest sets the height. */
export function OnboardingDialog({ opened, of, evidence, onClose, onUnderstood }: OnboardingDialogProps) {
  const slides = decks[of];
  const count = slides.length;
  const [shown, setShown] = useState(0);
  const touchedAt = useRef(0);
  const go = (by: number) => setShown((shown + by + count) % count);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowLeft') go(-1);
    if (event.key === 'ArrowRight') go(1);
  }
  function onTouchEnd(event: TouchEvent) {
    const by = (event.changedTouches[0]?.clientX ?? touchedAt.current) - touchedAt.current;
    if (Math.abs(by) > SWIPE_PX) go(by < 0 ? 1 : -1);
  }

  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      centered
      size={560}
      padding={0}
      transitionProps={{ duration: 150, transition: 'fade' }}
      classNames={{ content: classes.content }}
    >
      <Modal.Overlay backgroundOpacity={1} color="var(--backdrop)" />
      <Modal.Content aria-label={t.onboarding.label}>
        {/* The dialog's body takes the first focus, so that the arrow keys work at once and Enter presses no button. */}
        <Modal.Body data-autofocus tabIndex={-1} className={classes.body} onKeyDown={onKeyDown}>
          <section
            aria-roledescription={t.onboarding.carousel}
            aria-label={t.onboarding.label}
            className={classes.slides}
            onTouchStart={(event) => {
              touchedAt.current = event.touches[0]?.clientX ?? 0;
            }}
            onTouchEnd={onTouchEnd}
          >
            {slides.map(({ title, text, picture, proof }, index) => (
              <div
                key={title}
                role="group"
                aria-roledescription={t.onboarding.slide}
                aria-label={t.onboarding.position(index + 1, count, title)}
                className={classes.slide}
                data-shown={index === shown || undefined}
                inert={index !== shown}
              >
                <div className={classes.picture}>
                  {/* `use` and not `img`: an `img` could not read the CSS variables of the page that colour the picture. */}
                  <svg viewBox="0 0 560 260" aria-hidden="true">
                    <use href={`${picture}#picture`} />
                  </svg>
                  {evidence?.[proof] && (
                    <span className={classes.done}>
                      <IconCircleCheck size={16} aria-hidden />
                      {t.onboarding.done}
                    </span>
                  )}
                </div>
                <h2>{title}</h2>
                <p>{text}</p>
                {proof === 'extensionSeen' && (
                  <div className={classes.downloads}>
                    <Button
                      component="a"
                      href="/extension/pair"
                      target="_blank"
                      rel="noopener"
                      variant="default"
                      size="compact-md"
                    >
                      {t.onboarding.install}
                    </Button>
                  </div>
                )}
              </div>
            ))}
          </section>
          <VisuallyHidden component="output">
            {t.onboarding.position(shown + 1, count, slides[shown]?.title ?? '')}
          </VisuallyHidden>
          <Group component="footer" justify="space-between" gap="sm" wrap="nowrap" className={classes.footer}>
            {count > 1 && (
              <Group gap={4} wrap="nowrap">
                <ActionIcon {...arrow} aria-label={t.onboarding.previous} onClick={() => go(-1)}>
                  <IconArrowLeft size={20} stroke={1.75} aria-hidden />
                </ActionIcon>
                <Group gap={0} wrap="nowrap" role="group" aria-label={t.onboarding.dots}>
                  {slides.map(({ title }, index) => (
                    <button
                      key={title}
                      type="button"
                      className={classes.dot}
                      aria-label={t.onboarding.dot(index + 1, title)}
                      aria-current={index === shown || undefined}
                      onClick={() => setShown(index)}
                    />
                  ))}
                </Group>
                <ActionIcon {...arrow} aria-label={t.onboarding.next} onClick={() => go(1)}>
                  <IconArrowRight size={20} stroke={1.75} aria-hidden />
                </ActionIcon>
              </Group>
            )}
            <Button lang="en" onClick={onUnderstood} flex="none" ms="auto">
              {t.onboarding.understood}
            </Button>
          </Group>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
