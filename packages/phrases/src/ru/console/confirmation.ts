// Texts of the band that asks an owner to confirm the company's email address.

export const confirmation = {
  title: 'Подтвердите почту',
  lead: (email: string) =>
    `Подтвердите почту: письмо со ссылкой отправлено на ${email}. До этого шлюз не пропускает никого из вашей компании.`,
  inFolder:
    'Подтвердите почту. На сервере она не настроена (SMTP_URL), поэтому письмо лежит файлом в папке mail внутри DATA_DIR. Откройте ссылку из него, и шлюз начнёт пропускать людей вашей компании.',
  again: 'Отправить ещё раз',
  sent: 'Письмо отправлено',
};
