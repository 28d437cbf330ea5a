import type { PinnedRole } from './roles.ts';

/**
 * Names that mail programs give to folders with a role, in many languages. The most common come first: if several
 * folders match a role, the one with the earlier name wins.
 *
 * Taken from imapflow (lib/special-use), with additions:
 * Copyright (c) 2020-2024 Postal Systems OÜ
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 * documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
 * rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
 * permit persons to whom the Software is furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
 * Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
 * WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
 * COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
 * OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
export const ROLE_NAMES: Readonly<Record<PinnedRole, readonly string[]>> = {
  sent: names(`
    sent | sent items | sent messages | sent mail | aika | air a chur | am post cuirte | anfonwyd | bidalia
    bidaliak | bidalita | bidalitakoak | currieru mandatu | danfonwyd | dihantar | e rometsweng | e tindami
    elementos enviados | elküldött | elküldött elemek | elküldött üzenetek | elküldöttek | enviadas
    enviados | enviat | enviats | envoyés | ethunyelweyo | expediate | ezipuru | ferstjoerd | gesendet
    gesendete | gesendete elemente | gestuur | gönderilmiş | gönderilmiş öğeler | göndərilənlər | hantar
    iberilen | inviata | inviate | inviati | išsiųsti | išsiųsti laiškai | išsiųstieji | jo\`natilgan xatlar
    jo‘natilgan | kaset | kuthunyelwe | küldöttek | lasa | lähetetyt | mesaje trimise | messages envoyés
    naipadala | nalefa | napadala | nosūtīts | nosūtītās | nosūtītās ziņas | odeslaná pošta | odeslané
    odoslaná | odoslaná pošta | odoslané | padala | poslana pošta | poslane | poslano | poslané | poslato
    posta inviata | pósłane | pósłany | saadetud | saadetud kirjad | saadetud üksused | senditujo | sendt
    sendt post | sendte | sendte beskeder | seolta | siūsti | skickat | sända poster | sänt | sūtīt
    terkirim | thư đã gửi | ti fi ranṣẹ | titaq | tramess | trimis | trimise | ttwaznen | të dërguar
    të dërguara | unviaos | unvios fechos | verschéckt | verzonden | verzonden berichten | vilivyotumwa
    wysłane | éléments envoyés | đã gửi | şandî | απεσταλμένα | σταλθέντα | адпраўлена | жиберилген
    жіберілген | жіберілген хаттар | жіберілгендер | изпратени | изпратени писма | илгээсэн | ирсол шуд
    испратени | испратено | надіслані | отправленные | пасланыя | послате | послато | пратени | юборилган
    ուղարկուած | ուղարկված | נשלח | נשלחו | פריטים שנשלחו | ئەۋەتىلگەن | ارسال شده | ارسالی | البريد المرسل
    المرسل | المرسلة | المُرسَل | بھیجا ہوا میل | بھیجے گئے | سوزمژہ | لېږل شوي ليکونه | لېګل شوی
    موارد ارسال شده | مُرسَل | نێردراو | पठईएका मेलहरु | पाठवलेले | पाठविले | पाठविलेले | प्रेषित | भेजा गया
    भेजे गए | পাঠানো হয়েছে | প্রেরিত | প্রেরিত(পাঠানো মেইল) | প্ৰেৰিত | ਭੇਜੇ | મોકલેલા | મોકલેલ્યા | ପଠାଗଲା
    அனுப்பிய அஞ்சல் | அனுப்பியவை | పంపించబడింది | ಕಳುಹಿಸಲಾದ | അയച്ചവ | അയച്ചു | යැවු පණිවුඩ | යැවූ
    ที่ส่งแล้ว | ส่ง | ส่งแล้ว | გაგზავნილი | ዝተለኣኸ | የተላኩ | បានផ្ញើ | សំបុត្រដែលបានបញ្ជូន | 寄件備份 | 已发信息
    已发送 | 已发送消息 | 已发送邮件 | 送信済み | 送信済みアイテム | 送信済みトレイ | 送信済みメール | 발신 메시지 | 보낸 편지함 | 보냄 | sentmail | envoyé
    gönderilenler | gönderilen kutusu | gönderilmiş postalar | skickade | 已傳送 | 已傳送郵件 | 寄件匣 | 보낸메일함 | 보낸 메일함
    送信済 | sent-mail | inviato | verstuurd | posielané`),
  drafts: names(`
    drafts | draft | arewway | ba brouillon | borrador | borradores | bozze | brouilhedoù | brouillonen
    brouillons | bruttacopie | bản thảo | ciorne | concepten | draf | drafftiau | dreachdan | dréachtaí
    drög | entwürfe | esborranys | esbossos | garalamalar | ihe edeturu | iidrafti | izinhlaka | juodraščiai
    jusamaj | kladd | kladdar | kladder | koncepty | konsep | konsepte | konsepten | kopie robocze
    layihələr | luonnokset | malnetujo | melnraksti | meralo | mesaje nefinalizate | mesazhe të padërguara
    mga draft | mustandid | nacerjenja | nacrti | naćiski | nedovršene | nedovršeno | onvoltooid | osnutki
    piszkozatok | qaralamalar | qoralama xatlar | qoralamalar | rascunhos | rasimu | reşnivîs | rozepsané
    sbozs | skica | skice | skitsur | szkice | taslak | taslaklar | thư nháp | tsararrun saƙonni | utkast
    uzmetumi | vakiraoka | versiones provisori | vázlatok | wersje robocze | zirriborroak | àwọn àkọpamọ́
    προσχέδια | πρόχειρα | драфтови | жоба жазбалар | жобалар | нацрти | недовршене | недовршено | непратени
    нооргууд | ноорог | сиёҳнавис | скици | хомаки хатлар | чарнавікі | чернетки | чернови | черновики
    черновиктер | шимай қағаз | սեւագրեր | טיוטות | المسودات | بارليک | قوليازمىلار | مسودات | مسوّدات
    موسودې | نامه های ناتکمیل | پیش نویسها | پیش‌نویس‌ها | ڈرافٹ | ڈرافٹ/ | ڕه‌شنووسەکان | ड्राफ़ट | ड्राफ़्ट
    ड्राफ्ट | ड्राफ्टहरू | प्रारूप | मसुदा | খসড়া | ড্ৰাফ্ট | ਡ੍ਰਾਫਟ | ડ્રાફ્ટ | ડ્રાફ્ટસ | ଡ୍ରାଫ୍ଟ
    வரைவுகள் | చిత్తు ప్రతులు | ಕರಡುಗಳು | കരടുകള്‍ | ഡ്രാഫ്റ്റുകൾ | പൂര്‍ത്തിയാകാത്തവ | කටු සටහන්
    කෙටුම් පත් | กล่องจดหมายร่าง | ฉบับร่าง | ร่าง | လိက်အပြောံ | დროებითი | მონახაზები | წინასწარი | ረቂቆች
    ወጡን ጽሑፍ | សារព្រាង | សេចក្ដីព្រាង | សំបុត្រពង្រៀង | 下書き | 草稿 | 草稿匣 | 草稿箱 | 임시 보관함 | 초안`),
  spam: names(`
    junk | spam | bulk mail | aspam | basura | brukalas | cajk | correo basura | correo lixo
    correo no deseado | correu brossa | corréu puxarra | courrier indésirable | dramhaíl | dramhphost
    gemors | gemorspos | gereksiz | indesiderata | indesirate | indésirables | istenmeyen
    istenmeyen e-posta | i̇stenmeyen | junk e-mail | junk email | junk mail | junk-e-mail | kéretlen | lastez
    levélszemét | lixo electrónico | lixo eletrónico | lixo eletrônico | mel remeh | mesaje nedorite | møsn
    mēstule | mēstules | nepoželjne | nesolicitate | net-winske | nevyžiadaná pošta | nevyžádaná
    nevyžádaná pošta | nevēlams | nezaželeno | neželena pošta | neželena sporočila | neželjena pošta
    niechciane | no deseado | nungiavischà | ongewenst | ongewenste e-mail | posta indesiderata
    posta indesirate | pourriel | pourriels | puxarra | roskaa | roskaposti | roskapostit | ruslpóstur
    rämps | rämpspost | sbam | seq' | skräp | skräppost | sothach | spamowanie | spamujo | stroboù | szemét
    søppelpost | thư rác | truilleis | të pavlera | të pavlerë | uønsket | uønsket e-mail | uønsket e-post
    uønsket post | uønskt | wiadomości-śmieci | zabor-posta | zaborra | önemsiz | čapor | šiukšlės | šlamštas
    ανεπιθύμητα | ανεπιθύμητη αλληλογραφία | небажана пошта | нежелана поща | нежелательная почта
    непажаданая пошта | непожељна пошта | непожељне | непожељно | непосакувана пошта | спам | қалаусыз пошта
    անպիտան | թափոն | սպամ | דואר זבל | זבל | الرسائل العشوائية | الرسائل غير المرغوب فيها | بنجل | بیکاره
    بێکه‌ڵک | جنک | جنک میل | سُخام | غير المرغوب | هرزنامه | नको असलेले कचरा संदेश | स्पाम | स्पैम
    আজেবাজে মেইল | எரிதம் | ആവശ്യമില്ലാത്തവ | සුන්බුන් | กล่องจดหมายขยะ | ขยะ | สแปม | อีเมลขยะ | სპამი
    ჯართი | እንዳቅንጠመንጢ | សំបុត្រមិនល្អ | ឥតបានការ | 垃圾 | 垃圾信件 | 垃圾邮件 | 垃圾郵件 | 垃圾電郵 | 迷惑メール | 스팸 | 스팸 편지함 | 정크
    정크 메일`),
  trash: names(`
    trash | deleted items | deleted messages | deleted | an sgudal | articole șterse | atkritne | bin
    borttaget | borttagna objekt | bosca bruscair | bruscar | cestino | chanaster da palpiri | chiqitdon
    corbe a papiro | corbeille | coș de gunoi | curbella | dzēstie vienumi | elementi eliminati
    elementos borrados | elementos eliminados | elements suprimits | eliminata | gelöscht
    gelöschte elemente | gelöschte objekte | gunoi | hedhurina | item dipadam | itens apagados
    itens eliminados | itens excluídos | ištrinti | iḍuman | jiskefet | jêbirdank | kanta | kest | kosz | koš
    kuka | kustutatud | kustutatud üksused | kôš | lixeira | lixo | lomtár | molwuj | mục đã xóa
    obrisane stavke | odpadkový kôš | odstraněná pošta | odstraněné položky | papeleira | papelera | paperera
    papierkorb | papirkorg | papirkurv | papjernik | papperskorg | papperskorgen | papīrgrozs | papīrkurvis
    pesan terhapus | pod-lastez | poistetut | poubelle | praht | prullenbak | prügikast | reciclagem
    roskakori | rubujo | rusl | savat | sbwriel | sgudal | silinmiş öğeler | skrell | sletta
    slettede beskeder | slettede elementer | slettet | smeti | smeće | snippermandjie | surat terhapus
    səbət | thùng rác | tong sampah | törölt | törölt elemek | usunięte | usunięte wiadomości
    verwijderde items | vymazané správy | zakarrontzia | çöp | çöp kutusu | éléments supprimés | šiukšliadėžė
    šiukšlinė | šiukšlių dėžė | șterse | απορρίμματα | διαγραμμένα | κάδος απορριμάτων | κάδος απορριμμάτων
    видалені | выдаленыя | жойылғандар | избришани | изтрити | канта | корзина | корпа | кошик | кошче
    обрисане ставке | себет | сметніца | смеће | смітник | удаленные | удалённые | хогийн сав | қоқыс шелегі
    աղբարկղ | אשפה | פריטים שנמחקו | اشغال دانی | العناصر المحذوفة | المهملات | ردی کی ٹوکری | زباله‌دان
    زبڵدان | موارد حذف شده | مُهملات | کثافت دانۍ | कचरा | कचरा पेटी | रद्दी | रद्दी टोकरी | ঝুড়ি | ডাস্টবিন
    કચરો | குப்பை | ചവറ്റുകുട്ട | ඉවතලන බඳුන | ถังขยะ | รายการที่ลบ | ნაგავი | ურნა | წაშლილი | እንዳጉሓፍ
    ធុងសំរាម | ごみ箱 | ゴミ箱 | 削除済みアイテム | 回收站 | 垃圾桶 | 已删除邮件 | 已刪除項目 | 废件箱 | 지운 편지함 | 휴지통`),
  archive: names(`
    archive | archives | an chartlann | archief | archieven | archif | archifau | archiv | archivados
    archivar | archivi | archivio | archivo | archivos | archivovať | archivs | archivu | archiválás
    archiwum | archiwy | archyvas | archyvuoti | archív | archívum | archívy | argief | argiven | argyf
    arhiiv | arhiv | arhiva | arhive | arhivi | arhivă | arhīvi | arhīvs | arkib | arkisto | arkiv | arkiva
    arkiver | arkivo | arkivoje | arquivamento | arquivo | arquivo morto | arquivos | arsip | artxibatu
    artxiboa | artxiboak | arxiu | arxiv | arxivlar | arşiv | arşivler | aḥraz | cartlanna | diell | dielloù
    erşîv | geymsla | goym í skjalasavni | iɣbaren | lưu trữ | skjalageymsla | taq yakb'äl | tasg-lannan
    αρχειοθέτηση | αρχειοθήκη | архив | архива | архиве | архиви | архивирай | архивтер | архивы | архів
    архіви | архівы | архіў | мұрағат | արխիվ | արխիւներ | ארכיון | أرشفة | أرشيف | ئارخىپ | ئەرشیف | ارشیو
    الأرشيف | بایگانی | जतन केलेला | संग्रह | ശേഖരം | සංරක්‍ෂණය | การเก็บถาวร | ที่เก็บถาวร | არქივები
    არქივი | ប័ណ្ណសារ | ប័ណ្ណសារ | アーカイブ | 備存 | 存档 | 存檔 | 封存 | 归档 | 보관 편지함 | 보관함 | 저장 편지함`),
};

/**
 * Words that decorate a folder name without changing its meaning, as in "Sent Mail".
 * Also from imapflow.
 */
export const DECORATIONS: readonly string[] = names(`
  e | mail | mails | email | emails | message | messages | item | items | folder | my | objekt | objekte
  objekten | objekter | elemente | elementen | elementer | nachrichten | berichten | post | poster
  viestit | kirjad | meldinger | beskeder | correo | posta | courrier | elementos | elementi | éléments
  mensajes | messaggi | mensagens | itens | poczta | pošta | elementy | wiadomości | položky | správy
  письма | письмо | элементы | сообщения | пошта | öğeler | mesajlar | μηνύματα | στοιχεία`);

function names(table: string): readonly string[] {
  return table
    .split(/[|\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
