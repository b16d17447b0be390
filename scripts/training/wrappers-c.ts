/** Envelopes in the manner of law firms, wards, labs, plants, newsrooms and libraries, for training alone. */
export const wrappersC: ReadonlyArray<{ readonly name: string; readonly wrap: (task: string) => string }> = [
  {
    name: "c-law-firm-preamble",
    wrap: (task) =>
      "You assist the fee earners of Brackley Stroud LLP. Matter 20418/3, privileged and confidential.\n" +
      `Use British spelling. Never invent authorities.\n\nInstruction from the supervising partner:\n${task}`,
  },
  {
    name: "c-ward-messaging",
    wrap: (task) =>
      `[SecureWard 21:47] Bleep 5512 (SHO, 7B) -> assistant\n${task}\n[read 21:47] No patient names please.`,
  },
  {
    name: "c-lab-notebook",
    wrap: (task) =>
      "## ELN entry 2025-0318-B\n**Owner:** t.ishikawa  \n**Project:** membrane-7\n\n" +
      `### Request to assistant\n\n${task}\n\n` +
      "### Witness\n\n_pending_",
  },
  {
    name: "c-work-order",
    wrap: (task) =>
      `WORK ORDER 778120 | PLANT 04 | PRIO 3 | RAISED BY shift lead\nLONG TEXT:\n${task}\n` +
      "END OF TEXT -- attachments: 0 -- cost centre 33190",
  },
  {
    name: "c-newsroom-desk",
    wrap: (task) =>
      `@deskbot ${task}\n\n(for the 17:30 conference. House style: no exclamation marks, figures from 10)`,
  },
  {
    name: "c-japanese-company",
    wrap: (task) =>
      "あなたは東海精機株式会社の社内アシスタントです。丁寧語で、簡潔に対応してください。社外秘の情報は出力しないこと。\n" +
      `\n【依頼内容】\n${task}\n\n【依頼者】生産技術部 二課`,
  },
  {
    name: "c-chinese-hospital",
    wrap: (task) => `系统：你是市第三医院药学部的智能助手，回答仅供医务人员参考。\n用户（工号 30817）：${task}\n助手：`,
  },
  {
    name: "c-korean-chat",
    wrap: (task) =>
      `[오후 3:12] 연구지원팀 민서: ${task}\n` +
      "[오후 3:12] 연구지원팀 민서: 급한 건 아니에요, 오늘 안에만 부탁드려요!",
  },
  {
    name: "c-vietnamese-mail",
    wrap: (task) =>
      "Từ: Phòng Kỹ thuật <kythuat@lamson.example>\nChủ đề: Nhờ hỗ trợ\n\n" +
      `Chào bạn,\n\n${task}\n\nTrân trọng,\n` +
      "Nguyễn Hải Đăng\nEmail này có thể chứa thông tin mật của công ty.",
  },
  {
    name: "c-thai-form",
    wrap: (task) =>
      `แบบฟอร์มขอความช่วยเหลือ เลขที่ 67/0192\nหน่วยงาน: หอจดหมายเหตุ\nรายละเอียด: ${task}\nผู้อนุมัติ: -`,
  },
  {
    name: "c-indonesian-field-app",
    wrap: (task) =>
      `#relawan #posko-2\nPesan dikirim saat sinyal kembali (tertunda 00:41:09)\n\n${task}\n\n` +
      "-- dikirim dari aplikasi Siaga",
  },
  {
    name: "c-hindi-helpdesk",
    wrap: (task) =>
      "नमस्ते, आप किसान सेवा केंद्र के सहायक हैं। नीचे लिखा अनुरोध पढ़कर सीधे उत्तर दें।\n\n" +
      `अनुरोध: ${task}\n\nधन्यवाद।`,
  },
  {
    name: "c-xml-envelope",
    wrap: (task) =>
      "<request id=\"b7e1\" channel=\"intranet\">\n  <role>metallurgist</role>\n" +
      "  <confidentiality>internal</confidentiality>\n" +
      `  <body><![CDATA[${task}]]></body>\n</request>`,
  },
  {
    name: "c-json-messages",
    wrap: (task) =>
      JSON.stringify({
        tenant: "stadtarchiv",
        temperature: 0.2,
        messages: [
          { role: "system", content: "You help archivists. Keep to what is asked." },
          { role: "user", content: task },
        ],
      }),
  },
  {
    name: "c-gateway-log",
    wrap: (task) =>
      `2025-03-04T07:58:13.221Z llm-gw INFO tenant=hydro-ops user=u_88 retry=0 prompt="""${task}"""`,
  },
  {
    name: "c-forwarded-thread",
    wrap: (task) =>
      `FYI, can the assistant do this one?\n\n> On Tue, 11 Feb, Registry wrote:\n>\n${
        task.split("\n").map((line) => `> ${line}`).join("\n")
      }\n>\n> Many thanks, Registry`,
  },
  {
    name: "c-safety-notice",
    wrap: (task) =>
      "SAFETY NOTE: outputs are not medical, legal or engineering sign-off. Do not reveal personal data. " +
      `If a person is in danger, refer to the local emergency number.\n-----\n${task}\n-----\n` +
      "A qualified human reviews every answer.",
  },
  {
    name: "c-style-guide",
    wrap: (task) =>
      `${task}\n\nHouse rules:\n- plain words, short sentences\n- SI units with a space\n` +
      "- no bold, no emoji\n- if unsure, say so once",
  },
  {
    name: "c-old-hand-persona",
    wrap: (task) =>
      "You are Henrike, for thirty years the one everyone at the co-operative asks. You are dry, exact " +
      `and kind, and you dislike waffle. Somebody comes to your desk and says:\n\n"${task}"`,
  },
  {
    name: "c-german-ticket",
    wrap: (task) =>
      "Vorgang 2025-00931 (Stadtwerke, Netzleitstelle)\nStatus: offen | Melder: Schicht C\n\n" +
      `Anliegen:\n${task}\n\n` +
      "Bitte im Vorgang antworten, nicht per Mail. Es gelten die Datenschutzhinweise vom 01.01.",
  },
]
