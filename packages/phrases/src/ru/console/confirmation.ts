// Texts of an owner's banners (unconfirmed company email address, end of the plan) and of mail without SMTP_URL.

/** Where mails are stored while SMTP_URL is not set, and who can read them. */
export const noMail =
  'Отправка писем на сервере не настроена: письмо не уйдёт, оно лежит файлом в папке mail внутри DATA_DIR. Попросите администратора сервера передать ссылку из него: её покажет команда propusk mail.';

export const confirmation = {
  title: 'Подтвердите почту',
  lead: (email: string) =>
    `Подтвердите почту: письмо со ссылкой отправлено на ${email}. До этого шлюз не пропускает никого из вашей компании.`,
  inFolder:
    'Подтвердите почту: откройте ссылку из письма, и шлюз начнёт пропускать пользователей вашей компании.',
  again: 'Отправить ещё раз',
  sent: 'Письмо отправлено',
  written: 'Письмо записано на сервере',
};

/** The banner for an owner whose trial, plan or paid proxies end soon. */
export const ending = {
  label: 'Окончание тарифа',
  trial: (day: string) =>
    `Пробный период закончится ${day}. Добавленное останется и будет работать, а добавлять можно будет по вашему тарифу.`,
  plan: (day: string) => `Тариф закончится ${day}. Договоритесь с менеджером о продлении.`,
  paid: (day: string, isPast: boolean) =>
    isPast
      ? `Платные прокси остановлены ${day}: тариф их больше не включает.`
      : `Платные прокси остановятся ${day}: тариф их больше не включает.`,
  more: 'К тарифу',
};
