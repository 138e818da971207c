import { limits } from '@propusk/contract/limits';

/** One mail as text and as simple html, for one reader. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

type Paragraph = string | { readonly link: string; readonly label: string };

const lives = `Ссылка действует ${limits.linkMinutes} минут и срабатывает один раз.`;

/** The way to a new password. */
export function passwordLetter(to: string, link: string): Letter {
  return letter(to, 'Новый пароль для входа в «Пропуск»', [
    `Кто-то, скорее всего вы, попросил новый пароль для входа в «Пропуск» с почтой ${to}.`,
    { link, label: 'Задать новый пароль' },
    `${lives} Когда пароль сменится, все открытые сеансы завершатся.`,
    'Если вы об этом не просили, ничего делать не нужно: пароль останется прежним.',
  ]);
}

/** To the owner of a company that an admin made. */
export function invitationLetter(
  to: string,
  { company, link, resetPage }: { company: string; link: string; resetPage: string },
): Letter {
  return letter(to, `Вас пригласили владельцем компании ${company} в «Пропуск»`, [
    `Администратор платформы «Пропуск» сделал вас (${to}) владельцем компании ${company}: вы добавите её сайты и людей и решите, кому что открыто.`,
    { link, label: 'Задать пароль и войти' },
    `${lives} Если время вышло, запросите новую ссылку на странице входа, с этой же почтой:`,
    { link: resetPage, label: 'Запросить новую ссылку' },
    'Если вы не ждали приглашения, ничего делать не нужно.',
  ]);
}

/** To an ADMIN whom another one has added. */
export function adminInvitationLetter(
  to: string,
  { link, resetPage }: { link: string; resetPage: string },
): Letter {
  return letter(to, 'Вас пригласили администратором платформы «Пропуск»', [
    `Администратор платформы «Пропуск» сделал вас (${to}) ещё одним администратором: вам открыты все компании, их люди и прокси серверы.`,
    { link, label: 'Задать пароль и войти' },
    `${lives} Если время вышло, запросите новую ссылку на странице входа, с этой же почтой:`,
    { link: resetPage, label: 'Запросить новую ссылку' },
    'После входа включите второй фактор в «Персональных данных».',
    'Если вы не ждали приглашения, ничего делать не нужно.',
  ]);
}

/** To a new address: the proof that it is the person's own. */
export function emailLetter(to: string, link: string): Letter {
  return letter(to, 'Подтвердите новую почту для входа в «Пропуск»', [
    `Эту почту (${to}) указали как новую для входа в «Пропуск».`,
    { link, label: 'Подтвердить почту' },
    `${lives} После подтверждения все открытые сеансы завершатся, а входить нужно будет с этой почтой.`,
    'Если вы об этом не просили, ничего делать не нужно: без подтверждения ничего не изменится.',
  ]);
}

/** To the old address: whoever asked may not be its holder. */
export function emailNotice(to: string, newEmail: string, resetPage: string): Letter {
  return letter(to, 'Почту для входа в «Пропуск» хотят сменить', [
    `Для входа в «Пропуск» вместо ${to} указали другую почту: ${newEmail}.`,
    'Ничего не изменится, пока её не подтвердят по ссылке из письма, которое ушло на новый адрес.',
    'Если это не вы, смените пароль: та ссылка сразу перестанет действовать.',
    { link: resetPage, label: 'Сменить пароль' },
  ]);
}

/** To the address that an account has left. Whoever holds it now can neither sign in nor ask for a link. */
export function movedNotice(to: string, newEmail: string): Letter {
  return letter(to, 'Почта для входа в «Пропуск» изменена', [
    `Для входа в «Пропуск» вместо ${to} теперь служит другая почта: ${newEmail}.`,
    'Все открытые сеансы завершены, войти с прежней почтой больше нельзя.',
    'Если это сделали не вы, сразу сообщите владельцу вашей компании в «Пропуске» или администратору платформы: они вернут прежнюю почту или закроют доступ.',
  ]);
}

function letter(to: string, subject: string, paragraphs: readonly Paragraph[]): Letter {
  const all: Paragraph[] = ['Здравствуйте!', ...paragraphs, '«Пропуск»'];
  const text = all.map((p) => (typeof p === 'string' ? p : `${p.label}:\n${p.link}`)).join('\n\n');
  const html = all.map((p) => (typeof p === 'string' ? escape(p) : anchor(p.link, p.label)));
  return {
    to,
    subject,
    text: `${text}\n`,
    html: `<!doctype html><html lang="ru"><body>${html.map((p) => `<p>${p}</p>`).join('\n')}</body></html>\n`,
  };
}

function anchor(link: string, label: string): string {
  return `<a href="${escape(link)}">${escape(label)}</a>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
