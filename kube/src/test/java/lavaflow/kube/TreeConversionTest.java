package lavaflow.kube;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The words are those of kube-apiserver 1.36.3. */
class TreeConversionTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'kind':5}                              | cannot convert int64 to string
            {'metadata':5}                          | cannot restore struct from: int64
            {'metadata':{'labels':5}}               | cannot restore map from int64
            {'metadata':{'generation':'x'}}         | unrecognized type: int64
            {'metadata':{'generation':1.5}}         | cannot convert float64 to int64
            {'metadata':{'creationTimestamp':5}}    | json: cannot unmarshal number into Go value of type string
            {'metadata':{'finalizers':[5]}}         | cannot convert int64 to string
            {'metadata':{'finalizers':{}}}          | cannot restore slice from map
            {'metadata':{'ownerReferences':[5]}}    | cannot restore struct from: int64
            {'immutable':1}                         | unrecognized type: bool
            {'data':{'a':true}}                     | unrecognized type: string
            {'data':['x']}                          | cannot restore map from slice
            {'binaryData':{'a':5}}                  | cannot restore slice from int64
            {'data':null,'metadata':{'name':'x'}}   |
            """)
    void namesTheFirstMisfit(String tree, String problem) {
        assertThat(TreeConversion.problem(
                        BuiltinTypes.instance(), "io.k8s.api.core.v1.ConfigMap", Json.parse(tree.replace('\'', '"'))))
                .isEqualTo(problem);
    }
}
