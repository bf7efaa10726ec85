// Words that say how a sentence is built, not what it is about. They are left out of index terms (Stein 2005 §3 step
// 1; the lists are ours), by language: `die` is an article in German and a verb in English, so a text loses the words
// of the one language it has most of (native/kernels/text/terms.cpp).
//
// As canonical text has them without accents, one-letter words left out: `don't` is `don` and `t`, `für` is `fur`.
// They are part of the format of `fuzzy` signatures: a change of a list is a change of scheme.FORMAT.
#pragma once

#include <array>
#include <string_view>

namespace nearkin::tables {

struct StopWords {
  std::string_view language;
  std::string_view words;
};

// English stands first: it is taken where no other language has more words in a text.
inline constexpr std::array<StopWords, 10> kStopWords{{
    {"en",
     "about above after again against ain all am an and any are aren as at be because been before being below between "
     "both but by can couldn did didn do does doesn doing don down during each few for from further had hadn has hasn "
     "have haven having he her here hers herself him himself his how if in into is isn it its itself just ll me "
     "mightn more most mustn my myself needn no nor not now of off on once only or other our ours ourselves out over "
     "own re same shan she should shouldn so some such than that the their theirs them themselves then there these "
     "they this those through to too under until up ve very was wasn we were weren what when where which while who "
     "whom why will with won wouldn you your yours yourself yourselves"},
    {"de",
     "aber alle allem allen aller alles als also am an ander andere anderen anderer anderes auch auf aus bei beim bin "
     "bis bist da damit dann das dass dasselbe dazu dein deine dem den denn der deren derer des dessen dich die dies "
     "diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einige einigen er es "
     "etwas euch euer eure fur gegen habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem "
     "ihren ihrer ihres im in indem ins ist jede jedem jeden jeder jedes jene jenem jenen jener kann kein keine "
     "keinem keinen keiner konnen konnte machen man manche mein meine meinem meinen meiner mich mir mit muss musste "
     "nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich sie sind so solche "
     "soll sollen sollte sondern sonst sowie uber um und uns unser unsere unter viel vom von vor wahrend war waren "
     "warum was weg weil weiter welche welchem welchen welcher welches wenn wer werde werden werdet wie wieder will "
     "wir wird wirst wo wollen worden wurde wurden zu zum zur zwar zwischen"},
    {"fr",
     "ai aie ainsi alors apres as au aucun aussi autre autres aux avaient avait avant avec avez avoir avons bien car "
     "ce ceci cela celle celles celui ces cet cette ceux chaque chez ci comme dans de depuis des deux devant donc "
     "dont du elle elles en encore entre est et etaient etait etant ete etes etre eu eux faire fait fut il ils je "
     "jusqu la le les leur leurs lui ma mais me meme memes mes moi moins mon ne ni nos notre nous on ont ou par parce "
     "pas peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui sa sans se sera serait ses si soit "
     "sommes son sont sous suis sur ta te tes toi ton tous tout toute toutes tres tu un une vers vos votre vous"},
    {"es",
     "al algo algunas algunos ante antes aqui asi aun aunque cada como con contra cual cuando cuya cuyo de debe del "
     "desde donde dos durante el ella ellas ello ellos en entre era eran eras es esa esas ese eso esos esta estaba "
     "estaban estado estan estar estas este esto estos estoy fue fueron ha habia habian han has hasta hay he hemos "
     "hizo la las le les lo los mas me mi mientras mis misma mismo mucho muchos muy nada ni no nos nosotros nuestra "
     "nuestro os otra otras otro otros para pero poco por porque puede pueden pues que quien quienes se sea sean "
     "segun ser si sido siempre siendo sin sino sobre sois solo somos son soy su sus tal tambien tanto te tenia tiene "
     "tienen toda todas todo todos tras tu tus un una unas uno unos usted vosotros ya yo"},
    {"pt",
     "ainda alem algum alguma algumas alguns ante antes ao aos apenas apos aquela aquelas aquele aqueles aquilo as "
     "ate cada com como contra da das de dela delas dele deles depois desde dessa desse desta deste do dos durante "
     "ela elas ele eles em entao entre era eram essa essas esse esses esta estao estas estava estavam este estes "
     "estou eu foi foram ha havia isso isto ja la lhe lhes mais mas me mesma mesmo meu meus minha minhas muito muitos "
     "na nao nas nem nessa nesse nesta neste no nos nossa nossas nosso nossos num numa os ou outra outras outro "
     "outros para pela pelas pelo pelos pode podem pois por porque qual quando que quem sao se seja sem sendo ser "
     "sera seu seus si sido sim so sobre sua suas tal tambem te tem tinha tinham toda todas todo todos tu tua um uma "
     "umas uns voce voces vos"},
    {"it",
     "abbia abbiamo ad agli ai al alcuni alla alle allo allora altra altre altri altro anche ancora avere aveva "
     "avevano che chi ci cio come con contro cosi cui da dagli dai dal dalla dalle degli dei del dell della delle "
     "dello dentro di dopo dove due dunque ed egli era erano essa esse essere essi esso fra fu furono gia gli ha hai "
     "hanno ho il in io la le lei li lo loro lui ma mentre mi mia mie miei mio molto ne negli nei nel nell nella "
     "nelle nello no noi non nostra nostro ogni oltre per perche pero piu poi prima propria proprio puo qua quale "
     "quali quando quanto quel quella quelle quelli quello questa queste questi questo qui quindi se sei sempre senza "
     "si sia siamo siano solo sono sopra sotto sta stata state stati stato su sua subito sue sugli sui sul sulla "
     "sulle suo suoi tale te ti tra tu tutta tutte tutti tutto un una uno vi voi vostra vostro"},
    {"nl",
     "aan af al alle alleen als altijd andere ben bij binnen daar dan dat de deze die dit doch doen door dus een eens "
     "en er ge geen geweest haar had hadden heb hebben heeft hem hen het hier hij hoe hun ik in is ja je jij jou jouw "
     "kan kon kunnen maar me meer men met mij mijn moet moeten na naar niet niets nog nu of om omdat ondanks onder "
     "ons onze ook op over reeds te tegen ten ter toch toen tot tussen uit uw van veel voor waar wanneer waren was "
     "wat we wel welke werd werden wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zoals zonder zou zouden"},
    {"sv",
     "alla allt an at att av bara blev bli blir dar de dem den denna deras dess dessa det detta dig din dina ditt du "
     "efter ej eller en er ett for fore fran genom ha hade han hans har hela hennes hon honom hur icke igen ingen "
     "ingenting inom inte jag ju kan kom kommer kunde man manga med mellan men mer mig min mina mitt mot mycket nagon "
     "nagot nagra nar ni nu och ocksa om oss over pa sa sadan sadana samma samt sedan sig sin sina sitt sjalv ska "
     "skall skulle som till under upp ut utan vad var vara varfor varit varje vart vem vi vid vilka vilken vilket"},
    {"da",
     "af alle alt anden andet andre at bare begge blev blive bliver da de dem den denne der deres det dette dig din "
     "dine disse dit dog du efter ei eller en end er et etter for fordi fra før ga gar god ha hadde han hans har "
     "havde have heller hende hendes her hjem hos hun hva hvad hvem hver hvis hvor hvordan hvorfor ikke ikkje ind "
     "ingen inn jeg kan kun kunne man mange med meg meget mellem mellom men mens mer mig min mine mit mitt mot na nar "
     "ned noe noen noget nogle nok nu nær og ogsa om op opp os oss over pa sa sadan samme seg selv siden sig sin sine "
     "sitt skal skulle som til ud under ut uten var vare ved vi vil ville vor vores være vært"},
    {"pl",
     "aby ale ani az bardziej bardzo bez bo byc bylby bylo był była było były chociaz ci co czy czyli dla dlaczego do "
     "gdy gdzie go ich ile im inne inny ja jak jako je jednak jego jej jemu jesli jest jestem jeszcze juz kazdy kiedy "
     "kto ktora ktore ktorego ktorej ktory ktorych ktorym ktorzy lub ma maja mi mial miec mnie moga moim moj moja "
     "moze mozna my na nad nam nas nasz nawet nic nich nie nim niz no od on ona one oni ono oraz pan po pod poniewaz "
     "powinien przed przede przez przy sa sam sie soba ta tak taki takie takze tam te tego tej ten to tu tych tylko "
     "tym wam was we według wiec wiele wszystkich wszystko za zas ze zeby został została"},
}};

}  // namespace nearkin::tables
